import type { BatchRow } from '../../../db/queries/commands/batches.ts';
import type { CommandRow } from '../../../db/queries/commands/read.ts';
import { isSettled } from '../../../db/schema/commands.ts';
import { TARGETS, type World } from './world.ts';

const WITHOUT_EFFECT = new Set(['failed', 'rejected', 'voided', 'expired', 'waiting', 'accepted']);

const listedIn = ({ params }: CommandRow): string => String(params['target']);
const isTwice = (values: readonly unknown[]): boolean => new Set(values).size < values.length;

const brokenInBatch = (world: World, batch: BatchRow, rows: readonly CommandRow[], counts: Record<string, number>) => {
  const { config, game, takenBack, settledEvents } = world;
  const mine = game.paid.filter(({ id }) => rows.some((row) => id.startsWith(`${row.id}.`)));
  const sum = Object.values(counts).reduce((all, one) => all + one, 0);
  if (batch.total !== config.targets || batch.duplicates !== config.targets) return 'its total has changed';
  if (batch.written > batch.total) return 'more is written than it has';
  if (isTwice(rows.map(listedIn))) return 'a target has two commands';
  if (isTwice(rows.map(({ target }) => target))) return 'a player has two commands';
  if (isTwice(mine.map(({ player }) => player))) return 'a player was paid twice';
  if (sum !== rows.length) return 'its counts are not its commands';
  for (const row of rows) {
    const isPaid = mine.some(({ id }) => id.startsWith(`${row.id}.`));
    if (row.status === 'succeeded' && !isPaid) return 'a command succeeded, and nothing was paid';
    if (WITHOUT_EFFECT.has(row.status) && isPaid) return `a command is ${row.status}, and it was paid`;
  }
  const allowed = takenBack.get(batch.id);
  if (allowed !== undefined && mine.some(({ id }) => !allowed.has(id))) return 'paid after it was taken back';
  if (batch.status === 'settled' && rows.some(({ status }) => !isSettled(status)))
    return 'settled, and a command is open';
  if ((settledEvents.get(batch.id) ?? 0) > 1) return 'its end was told twice';
  return undefined;
};

/** Each target has its command, or its player has that of another target. */
const isComplete = (world: World, rows: readonly CommandRow[]): boolean => {
  const listed = new Set(rows.map(listedIn));
  const missing = TARGETS.slice(0, world.config.targets).filter((target) => !listed.has(target));
  // Two identifiers of one player are listed: they have one command.
  return (
    missing.every((target) => target.endsWith(':bob')) &&
    missing.length <= 1 &&
    (missing.length === 0 || world.config.targets === TARGETS.length)
  );
};

const brokenAnswers = ({ answers }: World, batches: readonly BatchRow[]): string | undefined => {
  for (const { key, isOther, batch, code } of answers) {
    if (batch !== undefined && !batches.some(({ id }) => id === batch.id)) return 'an accepted batch is not stored';
    if (code !== undefined && !['idempotency_mismatch', 'store_unavailable', 'DatabaseError'].includes(code))
      return `a request got ${code}`;
    const others = answers.filter((each) => each.key === key && each.isOther !== isOther && each.batch !== undefined);
    if (batch !== undefined && others.length > 0) return 'a key got two contents';
    const twins = answers.filter((each) => each.key === key && each.batch !== undefined);
    if (isTwice(twins.filter((each) => each.isReplayed === false).map(({ key: of }) => of)))
      return 'a key made two batches';
    if (twins.some((each) => each.batch?.id !== twins[0]?.batch?.id)) return 'a key has two batches';
  }
  return undefined;
};

/** The promises, checked after every step. Undefined: all hold. */
export const brokenIn = async (world: World): Promise<string | undefined> => {
  const batches = await world.readBatches();
  world.batches = batches;
  if (isTwice(batches.map(({ idempotencyKey }) => idempotencyKey))) return 'a key is stored twice';
  for (const batch of batches) {
    const counts = await world.store.batches.counts(batch.id);
    const broken = brokenInBatch(world, batch, await world.commandsOf(batch.id), counts);
    if (broken !== undefined) return broken;
  }
  return brokenAnswers(world, batches);
};

/** The promise that is broken although everything had its time. */
export const brokenAtRest = async (world: World): Promise<string | undefined> => {
  for (const batch of await world.readBatches()) {
    const rows = await world.commandsOf(batch.id);
    if (batch.status !== 'settled') return `a batch is ${batch.status} for ever`;
    if (batch.endedBy === null && !isComplete(world, rows)) return 'a target has no command';
    if (batch.endedBy === null && batch.written !== batch.total) return 'settled, and not written';
  }
  return undefined;
};

export const isAtRest = async (world: World): Promise<boolean> =>
  (await world.readBatches()).every(({ status }) => status === 'settled') &&
  world.nodes.every((node) => node === undefined || node.calls.length === 0);
