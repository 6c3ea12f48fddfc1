/** How the user runs this program, for texts that say what to type. Programs around the hub pass their own name. */
export const commandName = ({ CAUSEWAY_COMMAND }: NodeJS.ProcessEnv = process.env): string =>
  CAUSEWAY_COMMAND === undefined || CAUSEWAY_COMMAND === '' ? 'causeway' : CAUSEWAY_COMMAND;
