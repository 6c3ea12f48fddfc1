import type { IntegrationPatch, IntegrationRow } from '../../db/queries/integrations.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { IntegrationKind, PackageMap } from '../../db/schema/shops.ts';
import type { Store } from '../../db/store.ts';
import { HubError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Seal } from './seal.ts';

const MAX_INTEGRATIONS = 50;
const MAX_ID_LENGTH = 64;

type Settings = {
  name: string;
  serverId: string;
  identifierKind: string | null;
  packages: PackageMap;
  maxAmount: number | null;
  maxDaily: number | null;
};
type Maker = { keyId: string; name: string };
type New = Settings & { kind: IntegrationKind; secret: string };
type Change = Partial<Settings> & { secret?: string; graceSeconds: number };

/** Creates, changes and deletes the integrations of a project. */
export const integrationAdmin = ({
  store,
  seal,
  now,
}: {
  store: Pick<Store, 'integrations' | 'shopLines'>;
  seal: Seal;
  now: () => number;
}) => {
  /** The secrets after a rotation: the new one, and for a while the one before. */
  const rotated = (
    { id, secrets }: IntegrationRow,
    secret: string,
    graceSeconds: number,
  ): IntegrationRow['secrets'] => {
    const fresh = { sealed: seal.seal(secret, id), expiresAt: null };
    const [current] = secrets;
    if (graceSeconds === 0 || current === undefined) return [fresh];
    return [fresh, { ...current, expiresAt: now() + graceSeconds * 1_000 }];
  };

  return {
    /** Undefined: there is none in the project, or it was deleted. */
    find: async (projectId: string, id: string): Promise<IntegrationRow | undefined> => {
      const row = id.length <= MAX_ID_LENGTH ? await store.integrations.byId(id) : undefined;
      return row?.projectId === projectId && row.deletedAt === null ? row : undefined;
    },
    /** @throws HubError quota_exceeded */
    create: async (project: ProjectRow, maker: Maker, { secret, ...settings }: New): Promise<IntegrationRow> => {
      const id = newId('int');
      const at = now();
      const secrets = [{ sealed: seal.seal(secret, id), expiresAt: null }];
      const row = { id, projectId: project.id, ...settings, secrets, maker, createdAt: at, updatedAt: at };
      const stored = await store.integrations.create(row, MAX_INTEGRATIONS);
      const created = stored === 'full' ? undefined : await store.integrations.byId(id);
      if (created !== undefined) return created;
      throw new HubError('quota_exceeded', `A project may have ${MAX_INTEGRATIONS} integrations. Delete one.`);
    },
    /** The key that changes the commands or the server is the maker from now on. @throws HubError integration_not_found */
    change: async (row: IntegrationRow, maker: Maker, change: Change): Promise<IntegrationRow> => {
      const { secret, graceSeconds, ...settings } = change;
      const isRemade = settings.packages !== undefined || settings.serverId !== undefined;
      const patch: IntegrationPatch = {
        ...settings,
        ...(isRemade && { maker }),
        ...(secret !== undefined && { secrets: rotated(row, secret, graceSeconds) }),
      };
      const changed = await store.integrations.update(row.projectId, row.id, patch, now());
      if (changed === undefined) throw new HubError('integration_not_found');
      if (settings.identifierKind !== undefined) await store.shopLines.wakeAllUnknown(row.id, now());
      return changed;
    },
    /** Its address takes no more webhooks. Packages that were paid before are still delivered. */
    remove: async ({ projectId, id }: IntegrationRow): Promise<void> => {
      await store.integrations.update(projectId, id, { secrets: [], deletedAt: now() }, now());
    },
  };
};
