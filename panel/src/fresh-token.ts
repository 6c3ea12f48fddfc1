/** Bridge tokens made in this page, for the lines of server.cfg. They are kept in memory only. */
const tokens = new Map<string, string>();
export const keepToken = (serverId: string, token: string): void => void tokens.set(serverId, token);
/** Undefined as well if the server has another token by now. */
export const tokenOf = (serverId: string, prefix: string): string | undefined => {
  const token = tokens.get(serverId);
  return token?.startsWith(prefix) === true ? token : undefined;
};
/** The next user of this page must not see them. */
export const forgetTokens = (): void => tokens.clear();
