import type { ApiKeyRow, NewApiKey } from '../../db/queries/api-keys.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { NewServer, ServerRow } from '../../db/queries/servers.ts';
import type { Store } from '../../db/store.ts';
import { HubError } from '../platform/errors.ts';

type Kind = 'servers' | 'keys';
type Bounds = Pick<ProjectRow, 'id' | 'slug' | 'maxServers' | 'maxKeys'>;

const SETTING = { servers: '--max-servers', keys: '--max-keys' };

/**
 * Limits of servers and live keys of a project. Rows are counted before and after the insert, so that the limit holds
 * for concurrent callers; one of them may be refused although a place is left.
 */
export const createQuotas = ({ store }: { store: Pick<Store, 'servers' | 'apiKeys'> }) => {
  const countOf = (kind: Kind, projectId: string): Promise<number> =>
    kind === 'servers' ? store.servers.count(projectId) : store.apiKeys.countLive(projectId, Date.now());

  const refusal = (kind: Kind, { slug, maxServers, maxKeys }: Bounds): HubError =>
    new HubError(
      'quota_exceeded',
      `The project may have ${kind === 'servers' ? maxServers : maxKeys} ${kind}. ` +
        `Remove one, or ask the hub's operator for: causeway project set ${slug} ${SETTING[kind]} <n>`,
    );

  /** @throws HubError quota_exceeded */
  const assertRoom = async (kind: Kind, project: Bounds, room = 1): Promise<void> => {
    const max = kind === 'servers' ? project.maxServers : project.maxKeys;
    if ((await countOf(kind, project.id)) + room > max) throw refusal(kind, project);
  };

  return {
    assertRoom,
    /** Undefined if the project has a server of this id. @throws HubError quota_exceeded */
    addServer: async (project: Bounds, row: NewServer): Promise<ServerRow | undefined> => {
      await assertRoom('servers', project);
      const created = await store.servers.create(row);
      if (created === undefined) return undefined;
      await assertRoom('servers', project, 0).catch(async (error: unknown) => {
        await store.servers.remove(project.id, row.id);
        throw error;
      });
      return created;
    },
    /** @throws HubError quota_exceeded */
    addKey: async (project: Bounds, row: NewApiKey): Promise<ApiKeyRow> => {
      await assertRoom('keys', project);
      const created = await store.apiKeys.create(row);
      await assertRoom('keys', project, 0).catch(async (error: unknown) => {
        await store.apiKeys.remove(project.id, row.id);
        throw error;
      });
      return created;
    },
  };
};
