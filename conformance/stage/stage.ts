import { randomBytes } from 'node:crypto';
import type { Hub } from '../hub/hub.ts';
import type { Book } from '../judges/book.ts';
import { Breach, type Findings, NotTried } from '../judges/findings.ts';
import type { Rule } from '../judges/rules.ts';
import type { Line } from '../line/line.ts';
import type { Waits, Watch } from '../line/watch.ts';
import { createConfirmations } from './confirmations.ts';
import type { Delays } from './delays.ts';
import { createGoods } from './goods.ts';
import type { Launcher } from './launcher.ts';
import { type Cast, createPurse } from './purse.ts';
import { createReports } from './reports.ts';
import { createShelf } from './shelf.ts';
import { createTally } from './tally.ts';
import { createWaiting, type Expectation } from './waiting.ts';

export type StageOptions = {
  hub: Hub;
  book: Book;
  watch: Watch;
  waits: Waits;
  findings: Findings;
  launcher: Launcher | undefined;
  launch: () => void;
  delays: Delays;
  cast: Cast;
  /** The account to pay into and take from. */
  account: string;
  canPay: () => boolean;
  /** Number of commands that are sent at once. */
  burst: number;
};

type Verbs = Pick<Parameters<typeof createPurse>[0], 'line' | 'until' | 'confirmations'> &
  Pick<Parameters<typeof createReports>[0], 'read' | 'happens'>;

/** Commands, and how their effects are measured. */
const createEffects = (options: StageOptions & Verbs) => {
  const purse = createPurse(options);
  const reports = createReports({ ...options, target: purse.target });
  const goods = createGoods({ ...options, ...purse, reports });
  const shelf = createShelf({ ...options, ...purse, goods, reports });
  return { ...purse, ...createTally({ ...options, ...purse }), ...reports, goods, shelf };
};

/** The tools of a check: the connection to the bridge, commands and their effects, and bounded waits. */
export const createStage = (options: StageOptions) => {
  const { hub, watch, waits, findings, launcher, launch, delays } = options;
  let deadline = Number.POSITIVE_INFINITY;
  const limited = (ms: number): number => Math.min(ms, deadline - performance.now());

  /** The welcomed connection. */
  const line = (): Line => {
    const session = hub.session();
    if (session?.isOpen()) return session;
    throw new Breach({ expected: 'a welcomed connection', saw: 'none' });
  };

  const confirmations = createConfirmations(options);
  const { happens, until, hears, ask, barrier } = createWaiting({ hub, watch, waits, launcher, line, limited });

  /** The welcomed connection after the given one. */
  const next = (after: Line | undefined, expectation: Partial<Expectation> = {}): Promise<Line> => {
    const look = (): Line | undefined => {
      const session = hub.session();
      const isNewer = session !== undefined && session.number > (after?.number ?? 0);
      return isNewer && session.isOpen() ? session : undefined;
    };
    return until(look, { expected: 'the bridge to come back', withinMs: waits.comeBackMs, ...expectation });
  };

  /** The next handshake, refused or not; resolves with its time. */
  const dial = async (after: number, expectation: Partial<Expectation> = {}): Promise<number> => {
    const look = (): number | undefined => (hub.dials().count > after ? hub.dials().lastAt : undefined);
    const usual = { expected: 'the bridge to dial again', withinMs: waits.comeBackMs };
    return until(look, { ...usual, ...expectation });
  };

  /** The first complete snapshot of a connection. */
  const synced = (on: Line): Promise<true> =>
    until(() => (hub.snapshots(on) > 0 ? true : undefined), {
      rule: 'R19',
      expected: 'a complete snapshot after welcome',
      withinMs: waits.snapshotMs,
      on,
      since: 0,
    });

  /** Watches for a while that no bridge connects. */
  const staysAway = async (rule: Rule, why: string): Promise<void> => {
    const { count } = hub.dials();
    const came = await happens(() => (hub.dials().count > count ? true : undefined), waits.awayMs);
    if (came) throw new Breach({ rule, saw: `the bridge dialled again after ${why}` });
  };

  /** Watches for a while that this process does not connect. A new process by a supervisor breaks no rule. */
  const isGone = async (rule: Rule, why: string): Promise<void> => {
    const [{ count }, last] = [hub.dials(), hub.latestHello()];
    hub.allowReplacement(true);
    try {
      const came = await happens(() => (hub.dials().count > count ? true : undefined), waits.awayMs);
      if (!came) return;
      const isSaid = () => (hub.latestHello() === last ? undefined : true);
      const said = await happens(isSaid, waits.helloMs);
      const isSame = !said || hub.latestHello()?.instance === last?.instance;
      if (isSame) throw new Breach({ rule, saw: `the same instance dialled again after ${why}` });
      const by = 'as when a supervisor starts an ended process again; stay alive and idle instead';
      findings.skipped(rule, { check: why, why: `another instance dialled after ${why}, ${by}` });
    } finally {
      hub.allowReplacement(false);
    }
  };

  const launched = (): Launcher => {
    if (launcher === undefined) throw new NotTried('needs --run');
    return launcher;
  };

  /** Kills the bridge and restarts it, without waiting for its connection. */
  const restart = async (): Promise<void> => {
    await launched().kill('SIGKILL');
    hub.expectProcess();
    launch();
  };

  /** The bridge's frames about one player. */
  const read = (identifier: string) => {
    const id = `read_${randomBytes(20).toString('hex')}`;
    const expected = `players.record for players.read of ${identifier}`;
    const frame = { type: 'players.read', id, identifier };
    return ask(frame, 'players.record', (record) => record.id === id, { rule: 'R52', expected });
  };

  const verbs = {
    read,
    line,
    until,
    happens,
    hears,
    ask,
    barrier,
    next,
    dial,
    synced,
    staysAway,
    isGone,
    launched,
    restart,
  };
  return {
    ...options,
    ...verbs,
    ...createEffects({ ...options, ...verbs, confirmations }),
    confirmed: confirmations.judged,
    drew: delays.drew,
    judgeDelays: delays.judge,
    startOver: delays.startOver,
    /** Ends all waits at the latest `ms` from now. */
    limit: (ms: number): void => {
      deadline = performance.now() + ms;
    },
  };
};
export type Stage = ReturnType<typeof createStage>;
