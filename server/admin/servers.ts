import type { NewServer, ServerPatch, ServerRow } from '../../db/queries/servers.ts';
import type { Store } from '../../db/store.ts';
import { createSecret, hashSecret, secretPrefix } from '../auth/secrets.ts';

/** The row of a new server, and its bridge token, of which only a hash is stored. */
export const newServer = (
  projectId: string,
  { id, name }: { id: string; name: string },
): { row: NewServer; token: string } => {
  const token = createSecret('bridge_token');
  const at = Date.now();
  const row = {
    projectId,
    id,
    name,
    tokenPrefix: secretPrefix(token),
    tokenHash: hashSecret(token),
    createdAt: at,
    updatedAt: at,
  };
  return { row, token };
};

/** Creates a server without checking the quota, and returns its token; undefined if the id is taken. */
export const createServer = async (
  store: Pick<Store, 'servers'>,
  projectId: string,
  named: { id: string; name: string },
): Promise<string | undefined> => {
  const { row, token } = newServer(projectId, named);
  return (await store.servers.create(row)) === undefined ? undefined : token;
};

/** A new bridge token for a server. The old one works for `graceSeconds` more. */
export const rotatedToken = (
  { tokenHash }: Pick<ServerRow, 'tokenHash'>,
  graceSeconds: number,
): { token: string; patch: ServerPatch } => {
  const token = createSecret('bridge_token');
  const previous =
    graceSeconds === 0
      ? { previousTokenHash: null, previousTokenExpiresAt: null }
      : { previousTokenHash: tokenHash, previousTokenExpiresAt: Date.now() + graceSeconds * 1000 };
  return { token, patch: { tokenHash: hashSecret(token), tokenPrefix: secretPrefix(token), ...previous } };
};
