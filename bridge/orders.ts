import type { CommandHandlers } from '../bridge-protocol/client/bridge.ts';
import { unfinished } from '../bridge-protocol/client/handlers.ts';
import type { Journal, JournalEntry, Outcome } from '../bridge-protocol/journal/journal.ts';
import { COMMANDS, type CommandName, isCommandName } from '../bridge-protocol/wire/commands.ts';
import type { JournalClass } from '../bridge-protocol/wire/messages.ts';
import { ask, type Description, type Order } from './adapter.ts';
import { say } from './natives.ts';

/** A Lua table has no field without a value: the garage of a vehicle that has none. */
const filled = (name: CommandName, outcome: Outcome): Outcome =>
  name === 'vehicles' && outcome.status === 'done' ? { ...outcome, data: { garage: null, ...outcome.data } } : outcome;

/** The outcome of an interrupted order, from the game's own tables; indeterminate if they do not tell. */
const outcomeOf = async (order: Order): Promise<Outcome> => {
  try {
    const outcome = await ask('resolve', order);
    if (outcome !== undefined) return filled(order.name, outcome);
  } catch (error) {
    say(`${order.id} cannot be looked up: ${String(error)}`);
  }
  // Indeterminate for every class of journal: nothing here proves that the order had no effect.
  return unfinished('saved', 'The command was interrupted, and its effect is unknown.');
};

/**
 * How deep the metadata of items and vehicles may be nested: FXServer drops what lies deeper when Lua hands a player's
 * record on, without a word.
 */
const METADATA_LEVELS = 9;

const isDeeperThan = (levels: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner)));

/** The refusal of metadata that would not arrive whole. */
const tooDeep = (params: { metadata?: unknown }): Outcome | undefined => {
  if (!isDeeperThan(METADATA_LEVELS, params.metadata)) return undefined;
  const detail = `nested deeper than ${METADATA_LEVELS} levels, of which the game server keeps no more`;
  const details = { pointer: '/metadata', detail };
  return { status: 'rejected', error: { code: 'invalid_params', message: `metadata: ${detail}`, details } };
};

/** Carries a command out through the adapter. Never rejects. */
const carryOut = async (name: CommandName, params: object, id: string): Promise<Outcome> => {
  const refused = tooDeep(params);
  if (refused !== undefined) return refused;
  const order: Order = { ...params, id, name };
  try {
    return filled(name, await ask('order', order));
  } catch (error) {
    say(`${id} failed in the adapter: ${String(error)}`);
    return outcomeOf(order);
  }
};

/** The commands of an adapter: a handler for each, and the class of each that runs exactly once. */
export const ordersOf = ({
  orders,
}: Pick<Description, 'orders'>): {
  commands: CommandHandlers;
  classes: Partial<Record<CommandName, JournalClass>>;
} => {
  const names = Object.keys(orders).filter(isCommandName);
  return {
    commands: Object.fromEntries(
      names.map((name) => [name, (params: object, { id }: { id: string }) => carryOut(name, params, id)]),
    ),
    classes: Object.fromEntries(
      names.filter((name) => COMMANDS[name].class === 'exactly-once').map((name) => [name, orders[name]]),
    ),
  };
};

const settleLeftOver = async (journal: Journal, { id, name, params }: JournalEntry): Promise<void> => {
  // The journal keeps the parameters of built-in commands only. The game's tables do not record custom commands.
  const outcome =
    name !== undefined && isCommandName(name)
      ? await outcomeOf({ ...(params as object), id, name })
      : unfinished('saved', 'The game server stopped during the command.');
  if (outcome.status === 'indeterminate') {
    say(`${id} was interrupted by the last stop: its effect is unknown`);
  }
  await journal.settle(id, outcome);
};

/** Settles the commands that the end of the last process interrupted, before the hub asks for them. */
export const settleLeftOvers = async (journal: Journal): Promise<void> => {
  const leftOvers = journal.open().filter(({ status }) => status === 'started');
  await Promise.all(leftOvers.map((entry) => settleLeftOver(journal, entry)));
};
