import * as z from 'zod';
import { isCustomName, nameOfCustom, playerParamOf } from '../../bridge-protocol/index.ts';
import type { ShopLineRow } from '../../db/queries/shop-lines.ts';
import type { MappedCommand, PackageMap } from '../../db/schema/shops.ts';
import type { Scope } from '../auth/credentials.ts';
import { type ReadWish, readLastingWish, scopeOf } from '../commands/catalogue.ts';
import type { Commands } from '../commands/commands.ts';
import { invalidField } from '../platform/errors.ts';
import { PACKAGE_LENGTH, shopId } from './notice.ts';

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
export const readyFor = ({ name, params }: MappedCommand, target: string, parameter = 'target'): ReadWish =>
  Object.hasOwn(params, parameter)
    ? { pointer: `/params/${parameter}`, detail: 'must be absent: the buyer is the player' }
    : readLastingWish(name, { ...params, [parameter]: target });

/** The command of a line for a player. The game server says which parameter of a custom command is the player. */
export const createReadyLine =
  ({ customOf }: Pick<Commands, 'customOf'>) =>
  /** @throws HubError the server cannot be asked now */
  async ({ projectId, serverId, name, params }: ShopLineRow, target: string): Promise<ReadWish> => {
    const command = { name: name ?? '', params: params ?? {} };
    if (!isCustomName(command.name)) return readyFor(command, target);
    const custom = await customOf({ projectId, serverId });
    return readyFor(command, target, playerParamOf(custom?.get(nameOfCustom(command.name))?.roles));
  };
export type ReadyLine = ReturnType<typeof createReadyLine>;

/** An id as one part of a path with slashes (RFC 6901). */
export const pointerPart = (id: string): string => id.replaceAll('~', '~0').replaceAll('/', '~1');

/** Every command of the packages can be made. @throws HubError invalid_request */
export const assertPackages = (packages: PackageMap): void => {
  for (const [id, commands] of Object.entries(packages)) {
    for (const [place, command] of commands.entries()) {
      const ready = readyFor(command, ANY_TARGET);
      if ('detail' in ready) throw invalidField(`/packages/${pointerPart(id)}/${place}${ready.pointer}`, ready.detail);
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
