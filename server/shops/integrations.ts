import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { IntegrationPatch, IntegrationRow } from '../../db/queries/integrations.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { MappedCommand, PackageMap } from '../../db/schema/shops.ts';
import type { Store } from '../../db/store.ts';
import type { Scope } from '../auth/credentials.ts';
import { assertReason, readLastingWish, scopeOf, type Wish } from '../commands/catalogue.ts';
import { HubError, invalidField } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Seal } from '../platform/seal.ts';

const PACKAGE_LENGTH = 64;
/** An id of a shop, short enough for a part of an idempotency key. */
export const shopId = (max: number) =>
  z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${max}}$`), `must be 1 to ${max} printable ASCII characters`);
/** A larger number is rounded on its way, so that two ids could become one. Undefined: the id is missing. */
export const idFault =
  (max: number) =>
  ({ input }: { input?: unknown }): string | undefined =>
    input === undefined
      ? undefined
      : `must be 1 to ${max} printable ASCII characters, or a whole number up to ${Number.MAX_SAFE_INTEGER}`;
/** Shops write ids as numbers or as texts. */
export const packageId = z.union([z.int().nonnegative().transform(String), shopId(PACKAGE_LENGTH)], {
  error: idFault(PACKAGE_LENGTH),
});

const MAX_PACKAGES = 500;
const MAX_COMMANDS = 20;
const MAX_JSON = 48 * 1024;
/** Stands for the player while a command is checked. */
export const ANY_TARGET = 'char1:any';

/** The commands of each package. An empty list says on purpose that a package stands for none. */
export const packagesSchema = z
  .record(
    shopId(PACKAGE_LENGTH),
    z
      .array(z.strictObject({ name: z.string().max(64), params: z.record(z.string(), z.unknown()) }))
      .max(MAX_COMMANDS)
      .meta({ description: `At most ${MAX_COMMANDS} commands.` }),
  )
  .refine((packages) => Object.keys(packages).length <= MAX_PACKAGES, `must have at most ${MAX_PACKAGES} packages`)
  .refine((packages) => JSON.stringify(packages).length <= MAX_JSON, `must have at most ${MAX_JSON} bytes as JSON`)
  .meta({
    description:
      'By the id of the package in the shop: money, items, vehicles, job or custom:<name>, each with its parameters but without a target.',
  });

/** Reads a mapped command for a player. `parameter` is the name of the one for that player. */
const readyFor = (
  { name, params }: MappedCommand,
  target: string,
  parameter = 'target',
): ReturnType<typeof readLastingWish> =>
  Object.hasOwn(params, parameter)
    ? { pointer: `/params/${parameter}`, detail: 'must be absent: the buyer is the player' }
    : readLastingWish(name, { ...params, [parameter]: target });

/** A command for a player. @throws HubError invalid_request */
export const wishFor = (command: MappedCommand, target: string, parameter?: string): Wish => {
  const ready = readyFor(command, target, parameter);
  if ('detail' in ready) throw new HubError('invalid_request', `${ready.pointer}: ${ready.detail}`);
  return ready.wish;
};

/** An id as one part of a path with slashes (RFC 6901). */
export const pointerPart = (id: string): string => id.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * Every command of the packages can be made, and the project allows it. Packages that are stored alike need no reasons that
 * the project wants since. @throws HubError invalid_request, reason_required
 */
export const assertPackages = (packages: PackageMap, project: ProjectRow, stored: PackageMap = {}): void => {
  for (const [id, commands] of Object.entries(packages)) {
    const isKept = Object.hasOwn(stored, id) && isDeepStrictEqual(commands, stored[id]);
    for (const [place, command] of commands.entries()) {
      const ready = readyFor(command, ANY_TARGET);
      const at = `/packages/${pointerPart(id)}/${place}`;
      if ('detail' in ready) throw invalidField(`${at}${ready.pointer}`, ready.detail);
      if (!isKept) assertReason(project, ready.wish, `${at}/params/reason`);
    }
  }
};

/** The scopes that commands need. */
export const scopesOf = (commands: readonly Pick<MappedCommand, 'name'>[]): Scope[] => [
  ...new Set(commands.map(({ name }) => scopeOf(name))),
];

/** The money that a command gives. */
export const amountOf = ({ name, params }: MappedCommand): number =>
  name === 'money' && params['action'] === 'add' ? Number(params['amount']) : 0;

const DAY_MS = 24 * 60 * 60 * 1000;

/** The money that an integration has given, or is about to give, on the day of `at` (UTC). */
export const givenToday = (
  { shopLines }: Pick<Store, 'shopLines'>,
  { id }: Pick<IntegrationRow, 'id'>,
  at = Date.now(),
): Promise<number> => shopLines.paidSince(id, Math.floor(at / DAY_MS) * DAY_MS);

/** The limit of an integration on one day: it has given money, and would give more. @throws HubError invalid_request */
export const assertDaily = ({ maxDaily }: Pick<IntegrationRow, 'maxDaily'>, given: number, more: number): void => {
  if (maxDaily === null || more === 0 || given + more <= maxDaily) return;
  const detail = `The integration allows ${maxDaily} in one day (UTC). With this command it would be ${given + more}.`;
  throw new HubError('invalid_request', detail);
};

/** The limit of an integration on one command. @throws HubError invalid_request */
export const assertAmount = (command: MappedCommand, maxAmount: number | null): void => {
  if (maxAmount === null || command.name !== 'money' || Number(command.params['amount']) <= maxAmount) return;
  throw new HubError('invalid_request', `The integration allows at most ${maxAmount} in one command.`);
};

const MAX_INTEGRATIONS = 50;

type Settings = Pick<IntegrationRow, 'name' | 'serverId' | 'identifierKind' | 'packages' | 'maxAmount' | 'maxDaily'>;
type Maker = IntegrationRow['maker'];

/** Creates, changes and deletes the integrations of a project. */
export const integrationAdmin = (store: Pick<Store, 'integrations' | 'shopLines'>, seal: Seal) => {
  /** The secrets after a rotation: the new one, and for a while the one before. */
  const rotated = (
    { id, secrets }: IntegrationRow,
    secret: string,
    graceSeconds: number,
  ): IntegrationRow['secrets'] => {
    const fresh = { sealed: seal.seal(secret, id), expiresAt: null };
    const [current] = secrets;
    if (graceSeconds === 0 || current === undefined) return [fresh];
    return [fresh, { ...current, expiresAt: Date.now() + graceSeconds * 1_000 }];
  };

  return {
    /** Undefined: there is none in the project, or it was deleted. */
    find: async (projectId: string, id: string): Promise<IntegrationRow | undefined> => {
      const row = await store.integrations.byId(id);
      return row?.projectId === projectId && row.deletedAt === null ? row : undefined;
    },
    /** @throws HubError quota_exceeded */
    create: async (
      project: ProjectRow,
      maker: Maker,
      { secret, ...settings }: Settings & Pick<IntegrationRow, 'kind'> & { secret: string },
    ): Promise<IntegrationRow> => {
      const id = newId('int');
      const at = Date.now();
      const secrets = [{ sealed: seal.seal(secret, id), expiresAt: null }];
      const row = { id, projectId: project.id, ...settings, secrets, maker, createdAt: at, updatedAt: at };
      const stored = await store.integrations.create(row, MAX_INTEGRATIONS);
      const created = stored === 'full' ? undefined : await store.integrations.byId(id);
      if (created !== undefined) return created;
      throw new HubError('quota_exceeded', `A project may have ${MAX_INTEGRATIONS} integrations. Delete one.`);
    },
    /** The key that changes the commands or the server is the maker from now on. @throws HubError integration_not_found */
    change: async (
      row: IntegrationRow,
      maker: Maker,
      { secret, graceSeconds, ...settings }: Partial<Settings> & { secret?: string; graceSeconds: number },
    ): Promise<IntegrationRow> => {
      const isRemade = settings.packages !== undefined || settings.serverId !== undefined;
      const patch: IntegrationPatch = {
        ...settings,
        ...(isRemade && { maker }),
        ...(secret !== undefined && { secrets: rotated(row, secret, graceSeconds) }),
      };
      const changed = await store.integrations.update(row.projectId, row.id, patch, Date.now());
      if (changed === undefined) throw new HubError('integration_not_found');
      if (settings.identifierKind !== undefined) await store.shopLines.wakeAllUnknown(row.id, Date.now());
      return changed;
    },
    /** Its address takes no more webhooks. Packages that were paid before are still delivered. */
    remove: async ({ projectId, id }: IntegrationRow): Promise<void> => {
      await store.integrations.update(projectId, id, { secrets: [], deletedAt: Date.now() }, Date.now());
    },
  };
};
