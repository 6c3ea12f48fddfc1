import * as z from 'zod';
import {
  CUSTOM_NAME_PATTERN,
  customName,
  isCommandName,
  isCustomName,
  nameOfCustom,
  readParams,
} from '../../bridge-protocol/index.ts';
import type { MappedCommand, PackageMap } from '../../db/schema/shops.ts';
import type { Scope } from '../auth/credentials.ts';
import { entryOf, isExactlyOnce, type Wish } from '../commands/catalogue.ts';
import { HubError, invalidField } from '../platform/errors.ts';
import { PACKAGE_LENGTH, shopId } from './notice.ts';

const MAX_PACKAGES = 500;
const MAX_COMMANDS = 20;
const MAX_JSON = 48 * 1024;
/** Fields of a request body that a package does not choose. */
const CHOSEN_BY_HUB = ['target', 'expiresInSeconds', 'deliver'];
const ANY_TARGET = 'char1:any';

/** The commands of each package. An empty list says on purpose that a package stands for none. */
export const packagesSchema = z
  .record(
    shopId(PACKAGE_LENGTH),
    z
      .array(z.strictObject({ name: z.string().max(64), params: z.record(z.string(), z.unknown()) }))
      .max(MAX_COMMANDS)
      .meta({ description: `At most ${MAX_COMMANDS} commands.` }),
  )
  .refine((packages) => Object.keys(packages).length <= MAX_PACKAGES, `at most ${MAX_PACKAGES} packages`)
  .refine((packages) => JSON.stringify(packages).length <= MAX_JSON, `at most ${MAX_JSON} bytes as JSON`)
  .meta({
    description:
      'By the id of the package in the shop: money, items, vehicles, job or custom:<name>, each with its parameters but without a target.',
  });

/** A command, ready to be submitted, or why it cannot be. */
type Ready = { wish: Wish & { sentAction?: 'deduct' } } | { pointer: string; detail: string };

/** A mapped command for a player. `reason` replaces a missing one. */
export const readyFor = ({ name, params }: MappedCommand, target: string): Ready => {
  const foreign = CHOSEN_BY_HUB.find((field) => Object.hasOwn(params, field));
  if (foreign !== undefined) return { pointer: `/params/${foreign}`, detail: 'this field does not exist here' };
  if (isCustomName(name) && CUSTOM_NAME_PATTERN.test(nameOfCustom(name))) {
    const read = readParams({ ...params, target });
    if ('fault' in read) return { pointer: `/params${read.fault.pointer}`, detail: read.fault.detail };
    return { wish: { name: customName(nameOfCustom(name)), params: read.params } };
  }
  if (!isCommandName(name) || !isExactlyOnce(name)) {
    return { pointer: '/name', detail: 'must be money, items, vehicles, job or custom:<name>' };
  }
  const read = entryOf(name).body.safeParse({ target, ...params });
  if (!read.success) {
    const [issue] = read.error.issues;
    const path = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : (issue?.path ?? []);
    const detail = issue?.code === 'unrecognized_keys' ? 'this field does not exist here' : (issue?.message ?? '');
    return { pointer: ['/params', ...path.map(String)].join('/').slice(0, 200), detail: detail.slice(0, 200) };
  }
  const { expiresInSeconds: _, ...command } = read.data;
  return { wish: { name, ...command } };
};

/** Every command of the packages can be made. @throws HubError invalid_request */
export const assertPackages = (packages: PackageMap): void => {
  for (const [id, commands] of Object.entries(packages)) {
    for (const [place, command] of commands.entries()) {
      const ready = readyFor(command, ANY_TARGET);
      if ('detail' in ready) throw invalidField(`/packages/${id}/${place}${ready.pointer}`, ready.detail);
    }
  }
};

const scopeOf = (name: string): Scope => (isCommandName(name) ? `commands:${entryOf(name).scope}` : 'commands:custom');

/** The scopes that commands need. */
export const scopesOf = (commands: readonly Pick<MappedCommand, 'name'>[]): Scope[] => [
  ...new Set(commands.map(({ name }) => scopeOf(name))),
];

/** The money that a command gives. */
export const amountOf = ({ name, params }: MappedCommand): number =>
  name === 'money' && params['action'] === 'add' ? Number(params['amount']) : 0;

/** The limits of an integration on one command. @throws HubError invalid_request */
export const assertAmount = (command: MappedCommand, maxAmount: number | null): void => {
  if (maxAmount === null || command.name !== 'money' || Number(command.params['amount']) <= maxAmount) return;
  throw new HubError('invalid_request', `The integration allows at most ${maxAmount} in one command.`);
};
