import type { CommandHandlers } from '../bridge-protocol/client/bridge.ts';
import { unfinished } from '../bridge-protocol/client/outcomes.ts';
import type { Journal, JournalEntry, Outcome } from '../bridge-protocol/journal/journal.ts';
import { ask, type MoneyOrder } from './adapter.ts';
import { say } from './natives.ts';

/** The outcome of an interrupted order, from the game's own tables; indeterminate if they do not tell. */
const outcomeOf = async (order: MoneyOrder): Promise<Outcome> => {
  try {
    const outcome = await ask('resolve', order);
    if (outcome !== undefined) return outcome;
  } catch (error) {
    say(`${order.id} cannot be looked up: ${String(error)}`);
  }
  // Indeterminate for every class of journal: nothing here proves that the order had no effect.
  return unfinished('saved', 'The payment was interrupted, and its effect is unknown.');
};

/** Moves money through the adapter. Never rejects. */
export const payMoney: NonNullable<CommandHandlers['money']> = async (params, { id }) => {
  const order = { ...params, id } as MoneyOrder;
  try {
    return await ask('money', order);
  } catch (error) {
    say(`${id} failed in the adapter: ${String(error)}`);
    return outcomeOf(order);
  }
};

const settleLeftOver = async (journal: Journal, { id, name, params }: JournalEntry): Promise<void> => {
  // The journal keeps the parameters of the built-in command only. The game's tables do not record custom commands.
  const order = name === 'money' ? ({ ...(params as Omit<MoneyOrder, 'id'>), id } as MoneyOrder) : undefined;
  const outcome =
    order === undefined ? unfinished('saved', 'The game server stopped during the command.') : await outcomeOf(order);
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
