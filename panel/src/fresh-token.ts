/** Bridge tokens made in this page, for the lines of server.cfg. They are kept in memory only. */
const tokens = new Map<string, string>();
export const keepToken = (serverId: string, token: string): void => void tokens.set(serverId, token);
export const tokenOf = (serverId: string): string | undefined => tokens.get(serverId);
