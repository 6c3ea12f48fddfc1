import {
  CUSTOM_NAME_PATTERN,
  customName,
  isCommandName,
  isCustomName,
  nameOfCustom,
  readParams,
} from '../../bridge-protocol/index.ts';
import { faultsOf } from '../platform/faults.ts';
import { entryOf, isExactlyOnce, type Wish } from './catalogue.ts';

/** A command, ready to be submitted, or the place of its first fault as a JSON pointer into `{name, params}`. */
export type ReadWish = { wish: Wish & { sentAction?: 'deduct' } } | { pointer: string; detail: string };

/** Fields of a body that say how the command is sent: batches, schedules and shops say that themselves. */
const ABOUT_SENDING = ['expiresInSeconds', 'deliver'];
const LONGEST = 200;

/** Reads a command that is part of something else, by the rules of its own route. `params` include the player. */
export const readWish = (name: string, params: Record<string, unknown>): ReadWish => {
  if (isCustomName(name) && CUSTOM_NAME_PATTERN.test(nameOfCustom(name))) {
    const read = readParams(params);
    if ('fault' in read)
      return { pointer: `/params${read.fault.pointer}`.replace(/\/$/, ''), detail: read.fault.detail };
    return { wish: { name: customName(nameOfCustom(name)), params: read.params } };
  }
  if (!isCommandName(name)) return { pointer: '/name', detail: 'must be a command such as money or custom:give_item' };
  const foreign = ABOUT_SENDING.find((field) => Object.hasOwn(params, field));
  if (foreign !== undefined) return { pointer: `/params/${foreign}`, detail: 'this field does not exist here' };
  const read = entryOf(name).body.safeParse(params);
  if (!read.success) {
    const [{ path, detail } = { path: [], detail: '' }] = faultsOf(read.error.issues);
    return { pointer: ['/params', ...path.map(String)].join('/').slice(0, LONGEST), detail };
  }
  const { expiresInSeconds: _, deliver: __, ...command } = read.data;
  return { wish: { name, ...command } };
};

/** Does the same, and refuses a command that need not run exactly once. */
export const readLastingWish = (name: string, params: Record<string, unknown>): ReadWish =>
  isExactlyOnce(name)
    ? readWish(name, params)
    : { pointer: '/name', detail: 'must be money, items, vehicles, job or a custom command such as custom:give_item' };
