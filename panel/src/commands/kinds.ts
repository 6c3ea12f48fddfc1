import type { components, paths } from '../api-types.ts';

type Command = components['schemas']['Command'];

type NameIn<P> = P extends `/api/v2/bridge/{serverId}/${infer Name}`
  ? Name extends `actions${string}`
    ? never
    : Name
  : never;
/** The built-in commands, by the routes of the hub's API. */
export type BuiltIn = NameIn<keyof paths>;

export type Params = Readonly<Record<string, unknown>>;
export type Typed = Readonly<Record<string, string>>;

/** A command in a form. `given`: its parameters as far as they are known; `typed`: the texts of the fields that were changed. */
export type Draft = { name: string; given: Params; typed: Typed };

/** A command that a game server declares, by its name. */
export const CUSTOM = 'custom:';
export const isCustomName = (name: string): boolean => name.startsWith(CUSTOM);

/** What people can order, by the names of the texts: the command, and its parameters without a field. */
const KINDS = {
  kick: { name: 'kick', given: {} },
  give: { name: 'money', given: { action: 'add' } },
  take: { name: 'money', given: { action: 'remove' } },
  giveItem: { name: 'items', given: { action: 'add' } },
  takeItem: { name: 'items', given: { action: 'remove' } },
  giveVehicle: { name: 'vehicles', given: { action: 'give' } },
  takeVehicle: { name: 'vehicles', given: { action: 'take' } },
  storeVehicle: { name: 'vehicles', given: { action: 'store' } },
  job: { name: 'job', given: {} },
  message: { name: 'message', given: {} },
  announce: { name: 'announce', given: {} },
  revive: { name: 'revive', given: {} },
  heal: { name: 'heal', given: {} },
  freeze: { name: 'freeze', given: { frozen: true } },
  unfreeze: { name: 'freeze', given: { frozen: false } },
  teleport: { name: 'teleport', given: {} },
} as const satisfies Record<string, { name: BuiltIn; given: Params }>;
export type Kind = keyof typeof KINDS;

const fixedIn = (kind: Kind): [string, unknown][] => Object.entries(KINDS[kind].given);
/** `deduct` is a caller's word for `remove`. */
const isSame = (given: unknown, fixed: unknown): boolean =>
  given === fixed || (given === 'deduct' && fixed === 'remove');

/** The kind of a built-in command; undefined for all others. */
export const kindOf = ({ name, given }: Pick<Draft, 'name' | 'given'>): Kind | undefined =>
  (Object.keys(KINDS) as Kind[]).find(
    (kind) => KINDS[kind].name === name && fixedIn(kind).every(([field, value]) => isSame(given[field], value)),
  );

export const fixedFields = (kind: Kind): string[] => Object.keys(KINDS[kind].given);

export const nameOfKind = <K extends Kind>(kind: K): (typeof KINDS)[K]['name'] => KINDS[kind].name;

export const newDraft = (kind: Kind, typed: Typed = {}): Draft => ({ ...KINDS[kind], typed });

const LASTING: ReadonlySet<string> = new Set<BuiltIn>(['money', 'items', 'vehicles', 'job']);

export const isLasting = (name: string): boolean => LASTING.has(name);

/** Whether the panel offers to undo a command: its effect has an opposite, and nobody has undone it. */
export const isUndoable = ({ opposite, undoneBy }: Command): boolean =>
  opposite !== undefined && (undoneBy === undefined || undoneBy.executed === 'no');
