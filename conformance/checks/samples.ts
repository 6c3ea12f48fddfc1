import type { CommandName } from '../../bridge-protocol/wire/commands.ts';
import { LIMITS } from '../../bridge-protocol/wire/limits.ts';
import type { CatalogueKind } from '../../bridge-protocol/wire/messages.ts';

/** The commands that are neither money nor a kick, which have checks of their own. */
export type StaffName = Exclude<CommandName, 'kick' | 'money'>;

type Sample = {
  /** Parameters that fit. They name nothing that a game has, or ask for nothing that stays. */
  params: (target: string) => Record<string, unknown>;
  /** Changes after which they do not fit. */
  unfit: readonly Record<string, unknown>[];
  /** The code with which a game refuses what it does not have. */
  unknown?: string;
  /** The catalogue that a game without such a list does not send. Every game has a list of items. */
  list?: CatalogueKind;
};

const NOTHING = 'verify_none';
export const TEXT = 'This is a test of the bridge.';
const text = (length: number): string => 'x'.repeat(length);

const NO_TARGET = [{ target: undefined }, { target: 'char1:ana\n' }];
const NO_REASON = [{ reason: '' }, { reason: text(LIMITS.reasonLength + 1) }];
const NO_MESSAGE = [{ message: undefined }, { message: '' }, { message: text(LIMITS.messageLength + 1) }];
const noName = (field: string): Record<string, unknown>[] =>
  [undefined, '', 1, text(LIMITS.itemNameLength + 1)].map((name) => ({ [field]: name }));
const noCount = (field: string): Record<string, unknown>[] =>
  [undefined, -1, 1.5, '1'].map((count) => ({ [field]: count }));

const CARE: Sample = { params: (target) => ({ target }), unfit: [...NO_TARGET, ...NO_REASON] };

/** One entry per command: what verify sends where nothing may come of it. */
export const SAMPLES: Readonly<Record<StaffName, Sample>> = {
  items: {
    params: (target) => ({ target, item: NOTHING, count: 1, action: 'add', allowPartial: false }),
    unfit: [
      ...NO_TARGET,
      ...noName('item'),
      ...noCount('count'),
      { count: 0 },
      { count: LIMITS.itemCount + 1 },
      { action: 'steal' },
      { allowPartial: undefined },
      { allowPartial: 'no' },
      ...NO_REASON,
    ],
    unknown: 'unknown_item',
  },
  vehicles: {
    params: (target) => ({ target, action: 'give', model: NOTHING }),
    unfit: [
      ...NO_TARGET,
      ...noName('model'),
      { action: 'steal' },
      { action: 'take', model: undefined },
      { action: 'store', model: undefined },
      { action: 'take', plate: 'VERIFY' },
      { plate: '' },
      { plate: text(LIMITS.plateLength + 1) },
      { garage: '' },
      ...NO_REASON,
    ],
    unknown: 'unknown_model',
    list: 'vehicles',
  },
  job: {
    params: (target) => ({ target, job: NOTHING, grade: 0 }),
    unfit: [...NO_TARGET, ...noName('job'), ...noCount('grade'), ...NO_REASON],
    unknown: 'unknown_job',
    list: 'jobs',
  },
  announce: { params: () => ({ message: TEXT }), unfit: NO_MESSAGE },
  message: { params: (target) => ({ target, message: TEXT }), unfit: [...NO_TARGET, ...NO_MESSAGE] },
  revive: CARE,
  heal: CARE,
  freeze: {
    params: (target) => ({ target, frozen: false }),
    unfit: [...NO_TARGET, { frozen: undefined }, { frozen: 'yes' }, ...NO_REASON],
  },
  teleport: {
    params: (target) => ({ target, to: { player: target } }),
    unfit: [
      ...NO_TARGET,
      { to: undefined },
      { to: {} },
      { to: 'here' },
      { to: { x: 1, y: 2 } },
      { to: { x: '1', y: 2, z: 3 } },
      { to: { player: '' } },
      ...NO_REASON,
    ],
  },
};

export const STAFF_NAMES = Object.keys(SAMPLES) as StaffName[];
