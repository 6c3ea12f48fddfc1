import type { HubMessage } from '../../../bridge-protocol/index.ts';
import type { Session } from '../../../server/cluster/router.ts';
import type { ResultMessage } from '../../../server/commands/outcome.ts';

export type Outcome = 'done' | 'rejected' | 'failed' | 'offline' | 'paid, unknown' | 'unpaid, unknown';
export const OUTCOMES: readonly [Outcome, ...Outcome[]] = [
  'done',
  'rejected',
  'offline',
  'failed',
  'paid, unknown',
  'unpaid, unknown',
];
export const AMOUNT = 5;

type Line = { session: Session; node: string; down: HubMessage[]; up: ResultMessage[] };

const RESULTS: Record<Outcome, Pick<ResultMessage, 'status' | 'data' | 'error'>> = {
  done: { status: 'done', data: { account: 'bank', before: 0, after: AMOUNT } },
  rejected: { status: 'rejected', error: { code: 'insufficient_funds', message: 'Too much.' } },
  offline: { status: 'rejected', error: { code: 'player_offline', message: 'They left.' } },
  failed: { status: 'failed', error: { code: 'internal_error', message: 'It broke.' } },
  'paid, unknown': { status: 'indeterminate', error: { code: 'internal_error', message: 'It broke.' } },
  'unpaid, unknown': { status: 'indeterminate', error: { code: 'internal_error', message: 'It broke.' } },
};

/** A game server with its bridge: it carries out each id once, and repeats its answer until it is acknowledged. */
export const createGame = () => {
  const journal = new Map<string, ResultMessage>();
  const acknowledged = new Set<string>();
  /** Payments in their order. `id`: of the frame, so a command and a round. */
  const paid: { id: string; player: string }[] = [];
  let line: Line | undefined;

  return {
    paid,
    line: (): Line | undefined => line,
    /** The line is open in both directions; the hub has not greeted it yet. */
    connect: (session: Session, node: string): void => {
      const up = [...journal].flatMap(([id, result]) => (acknowledged.has(id) ? [] : [result]));
      line = { session, node, down: [], up };
    },
    /** Everything that is on its way is lost. */
    hangUp: (): void => {
      line = undefined;
    },
    hears: (session: Session, message: HubMessage): void => {
      if (line?.session.id === session.id) line.down.push(message);
    },
    acknowledge: (id: string): void => void acknowledged.add(id),
    /** Reads the next frame of the hub. */
    read: (outcome: Outcome): void => {
      const message = line?.down.shift();
      if (line === undefined || (message?.type !== 'command' && message?.type !== 'void')) return;
      const { id } = message;
      if (!journal.has(id)) {
        const answer = message.type === 'void' ? { status: 'voided' as const } : RESULTS[outcome];
        journal.set(id, { type: 'result', id, ...answer });
        const isPaid = message.type === 'command' && (outcome === 'done' || outcome === 'paid, unknown');
        if (isPaid) paid.push({ id, player: String((message.params as { target?: unknown }).target) });
      }
      const result = journal.get(id);
      if (result !== undefined) line.up.push(result);
    },
  };
};
