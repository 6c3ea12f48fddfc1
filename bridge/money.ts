import type { CommandHandlers } from '../bridge-protocol/client/bridge.ts';
import { unfinished } from '../bridge-protocol/client/outcomes.ts';
import type { Journal, JournalEntry, Outcome } from '../bridge-protocol/journal/journal.ts';
import { ask, type MoneyOrder } from './adapter.ts';
import { say } from './natives.ts';

/** What became of an order that nobody saw the end of: as the game's own books tell, or in doubt. */
const outcomeOf = async (order: MoneyOrder): Promise<Outcome> => {
  try {
    const outcome = await ask('resolve', order);
    if (outcome !== undefined) return outcome;
  } catch (error) {
    say(`${order.id} cannot be looked up: ${String(error)}`);
  }
  // Whatever the class of the journal is: nothing has proved here that it did not happen.
  return unfinished('saved', 'It was cut off, and nothing tells whether it took effect.');
};

/** Moves money as the adapter does it. Never rejects. */
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
  // The journal keeps what the handler of this very name was called with. What other resources did is in no books.
  const order = name === 'money' ? ({ ...(params as Omit<MoneyOrder, 'id'>), id } as MoneyOrder) : undefined;
  const outcome =
    order === undefined ? unfinished('saved', 'The game server stopped in the middle of it.') : await outcomeOf(order);
  if (outcome.status === 'indeterminate') {
    say(`${id} was cut off by the last stop: nobody can say whether it took effect`);
  }
  await journal.settle(id, outcome);
};

/** Settles the commands that the last process was cut off in, before the hub asks for them. */
export const settleLeftOvers = async (journal: Journal): Promise<void> => {
  const leftOvers = journal.open().filter(({ status }) => status === 'started');
  await Promise.all(leftOvers.map((entry) => settleLeftOver(journal, entry)));
};
