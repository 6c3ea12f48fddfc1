import type { ApiKeyRow, NewApiKey } from '../../db/queries/api-keys.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { NewServer, ServerRow } from '../../db/queries/servers.ts';
import type { Store } from '../../db/store.ts';
import { HubError } from '../platform/errors.ts';

type Bounds = Pick<ProjectRow, 'id' | 'slug' | 'maxServers' | 'maxKeys'>;

const refusal = (slug: string, most: number, kind: 'servers' | 'keys'): HubError =>
  new HubError(
    'quota_exceeded',
    `The project may have ${most} ${kind}. ` +
      `Remove one, or ask the hub's operator for: causeway project set ${slug} --max-${kind} <n>`,
  );

/** Limits of servers and live keys of a project. They hold for concurrent callers, on all nodes. */
export const createQuotas = ({ store }: { store: Pick<Store, 'servers' | 'apiKeys'> }) => ({
  /** Undefined if the project has a server of this id. @throws HubError quota_exceeded */
  addServer: async ({ id, slug, maxServers }: Bounds, row: NewServer): Promise<ServerRow | undefined> => {
    const stored = await store.servers.createWithin(row, maxServers);
    if (stored === 'full') throw refusal(slug, maxServers, 'servers');
    return stored === 'exists' ? undefined : store.servers.get(id, row.id);
  },
  /** @throws HubError quota_exceeded */
  addKey: async ({ id, slug, maxKeys }: Bounds, row: NewApiKey): Promise<ApiKeyRow> => {
    const stored = await store.apiKeys.createWithin(row, maxKeys, Date.now());
    const created = stored === 'full' ? undefined : await store.apiKeys.find(id, row.id);
    if (created === undefined) throw refusal(slug, maxKeys, 'keys');
    return created;
  },
});
