import { type CommandName, commandTag, isCommandName, tagFor } from '../../bridge-protocol/index.ts';
import type { Bridge } from '../cluster/router.ts';
import { HubError } from '../platform/errors.ts';

type Params = Record<string, unknown>;

/** The parameter that came with the version which these parameters need. */
const newestOf = (name: CommandName, params: Params): string | undefined =>
  Object.keys(params).find((field) => tagFor(name, { [field]: params[field] }) === tagFor(name, params));

/**
 * Why the command must not be sent to this bridge: it has an earlier version of the command, and would read past a
 * parameter. Undefined: it has the version, or not the command at all.
 */
export const versionProblem = (
  { commands }: Pick<Bridge, 'commands'>,
  { name, params }: { name: string; params: Params },
): string | undefined => {
  if (!isCommandName(name)) return undefined;
  const [own, needed] = [commandTag(name), tagFor(name, params)];
  if (commands.has(needed) || !commands.has(own)) return undefined;
  return `The bridge of this server has ${own}, and "${newestOf(name, params)}" needs ${needed}: update the bridge, or leave it out.`;
};

/** The bridge has the version of a command that reads all its parameters. @throws HubError unsupported */
export const assertVersion = (
  bridge: Pick<Bridge, 'commands'>,
  command: { name: CommandName; params: Params },
): void => {
  if (!bridge.commands.has(tagFor(command.name, command.params)))
    throw new HubError('unsupported', versionProblem(bridge, command));
};
