import { and, eq, gt, notExists, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../port/database.ts';

/**
 * No later session than that of `epoch` (a placeholder) speaks for the command's server: a node that slept must not send
 * what another one has taken over.
 */
export const isNotFenced = ({ handle, tables: { commands, sessions } }: Database): SQL => {
  const { projectId, serverId, epoch } = sessions;
  const ofServer = [eq(projectId, commands.projectId), eq(serverId, commands.serverId)];
  const later = handle
    .select({ epoch })
    .from(sessions)
    .where(and(...ofServer, gt(epoch, sql.placeholder('epoch'))));
  return notExists(later);
};
