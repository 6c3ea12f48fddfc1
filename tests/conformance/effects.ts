import { randomUUID } from 'node:crypto';
import type { JournalEntry, Outcome, Player } from '../../bridge-protocol/index.ts';
import { openWebSocket } from '../../bridge-protocol/ws.ts';
import type { Disk } from './disk.ts';
import { slow } from './faults.ts';
import type { Fault, Frame } from './game.ts';

const isMoney = ({ type, name }: Frame): boolean => type === 'command' && name === 'money';
const withParams = (frame: Frame, changes: object): Frame => ({
  ...frame,
  params: { ...Object(frame['params']), ...changes },
});

/** Every debt is allowed. */
export const lends = (): Fault => ({
  in: (frame) => {
    const isAsked = isMoney(frame) && Object(frame['params']).allowNegative === false;
    return [isAsked ? withParams(frame, { allowNegative: true }) : frame];
  },
});

/** Restores the old balance as soon as the command has ended. */
export const pretends = (action: 'add' | 'remove'): Fault => ({
  handlers: ({ kick, money }, { banks }) => ({
    kick,
    money: async (params, context) => {
      const before = banks.get(params.target);
      const outcome = await money(params, context);
      if (params.action === action && before !== undefined) banks.set(params.target, before);
      return outcome;
    },
  }),
});

/** Answers every `players.read` with the data from the start of the bridge. */
export const readsStale = (): Fault => ({
  options: (options) => {
    const snapshot = options.players?.snapshot ?? (() => []);
    const known = new Map([...(snapshot() as Player[])].map((player) => [player.identifier, player]));
    return { ...options, players: { snapshot, read: (identifier) => known.get(identifier) } };
  },
});

/** Commands that come while the bridge drains are carried out, as far as a hub can see. */
export const neverDrains = (): Fault => {
  const orders = new Map<unknown, { action?: string }>();
  return {
    in: (frame) => {
      if (isMoney(frame)) orders.set(frame['id'], Object(frame['params']));
      return [frame];
    },
    out: (frame) => {
      const { error, ...rest } = frame;
      if (Object(error).code !== 'server_restarting') return [frame];
      const after = orders.get(frame['id'])?.action === 'remove' ? -1 : 1;
      return [{ ...rest, status: 'done', data: { account: 'bank', before: 0, after } }];
    },
  };
};

/** Entries that a crash left are settled before the bridge sees them. */
export const settlesLeftOvers = (outcome: Outcome, isMeant: (entry: JournalEntry) => boolean) => ({
  starts: ({ entries }: Disk): void => {
    for (const [id, entry] of entries) {
      if (entry.status === 'started' && isMeant(entry)) entries.set(id, { ...entry, ...outcome, outcome });
    }
  },
});
export const FAILED: Outcome = { status: 'failed', error: { code: 'internal_error', message: 'It was cut off.' } };

/** The journal takes no acknowledgement. */
export const forgetsAcks = (): Fault => ({ journal: (journal) => ({ ...journal, acknowledge: () => {} }) });

/** A command that has not expired on arrival never expires. */
export const looksOnce = (): Fault => {
  let ahead = 0;
  return {
    ...slow(5),
    in: (frame) => {
      if (typeof frame['now'] === 'number') ahead = frame['now'] - Date.now();
      const isLate = Number(frame['expiresAt']) <= Date.now() + ahead;
      return [frame.type === 'command' && !isLate ? { ...frame, expiresAt: Number.MAX_SAFE_INTEGER } : frame];
    },
  };
};

/** The texts of money are read without a newline at their end. */
export const trims = (): Fault => ({
  in: (frame) => {
    if (frame['name'] !== 'money') return [frame];
    const params = Object.entries(Object(frame['params']));
    const trimmed = params.map(([key, value]) => [key, typeof value === 'string' ? value.replace(/\n$/, '') : value]);
    return [withParams(frame, Object.fromEntries(trimmed))];
  },
});

/** Reads whole numbers by their text. */
export const readsNoFloats = (): Fault => ({
  rawIn: (text, { say }) => {
    if (!/"amount":1(?:\.0|e0)/.test(text)) return true;
    const { id } = JSON.parse(text);
    say({ type: 'result', id, status: 'rejected', error: { code: 'invalid_params', message: 'no whole number' } });
    return false;
  },
});

export const endsWith = (text: string): Fault => ({
  rawIn: (frame, { cut }) => {
    if (!frame.includes(text)) return true;
    cut();
    return false;
  },
});

export const answersLate = (ms: number): Fault => ({
  out: (frame, { say }) => {
    if (frame.type !== 'pong') return [frame];
    setTimeout(() => say(frame), ms);
    return [];
  },
});

/** Follows redirects. */
export const follows = (): Fault => ({
  socket:
    (open, { url, token }) =>
    (events) => {
      const refused: typeof events.refused = (refusal) => {
        if (refusal.status === 307) openWebSocket({ url: url.replace('/bridge', '/elsewhere'), token })(events);
        else events.refused(refusal);
      };
      return open({ ...events, refused });
    },
});

/** The money of an unknown account comes from the first account. */
export const guessesAccounts = (): Fault => ({
  in: (frame) => {
    const isUnknown = isMoney(frame) && Object(frame['params']).type === 'verify_none';
    return [isUnknown ? withParams(frame, { type: 'bank', target: 'nobody' }) : frame];
  },
});

export const renames = (disk: Disk): void => {
  disk.journalId = randomUUID();
};
