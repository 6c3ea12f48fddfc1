import type { Outcome } from '../bridge-protocol/journal/journal.ts';
import type { CommandError, JournalClass } from '../bridge-protocol/wire/messages.ts';
import { callLua } from './natives.ts';

/** The one export of the Lua half; it answers nobody but this resource. */
const EXPORT = 'adapter';

/** What the framework adapter says about itself. */
export type Description = {
  framework: string;
  version: string;
  /** What its money is; absent where there is none. */
  class?: JournalClass;
  accounts: string[];
  hasDatabase: boolean;
};
export type MoneyOrder = {
  id: string;
  target: string;
  type: string;
  amount: number;
  action: 'add' | 'remove';
  allowNegative: boolean;
  reason?: string;
};
/** `heldMs` is how long the adapter held the game's thread at most since its last answer of this kind. */
export type Slice = { players: unknown; heldMs: number };
/** `last` is the key after which the next page begins; absent when this was the last one. */
export type Page = Slice & { last?: string };
/** Who has changed, and who has left, within one tick. */
export type News = { changed: string[]; left: string[] };

type Answers = {
  describe: { args: []; answer: Description | undefined };
  money: { args: [MoneyOrder]; answer: Outcome };
  /** What became of an order that was cut off, where the player's own row or the framework's books tell. */
  resolve: { args: [MoneyOrder]; answer: Outcome | undefined };
  /** The server id of somebody who is online. */
  source: { args: [string]; answer: { source?: string } };
  connection: { args: [string]; answer: { source?: string } };
  /** Whose records are in memory; an empty list is one in every language. */
  online: { args: []; answer: string[] };
  /** As many as are read within these milliseconds, which is `count` of them. */
  records: { args: [string[], number]; answer: Slice & { count: number } };
  /** So many rows at most, and as many as are read within these milliseconds. */
  page: { args: [string, number, number]; answer: Page };
  ping: { args: []; answer: Record<string, never> };
};

/** The adapter could not do what was asked; its effect, if it was to have one, is unknown. */
export class AdapterError extends Error {
  override name = 'AdapterError';
  readonly code: string;
  constructor({ code, message }: Pick<CommandError, 'code' | 'message'>) {
    super(message);
    this.code = code;
  }
}

type Reply = { ok: true; answer?: unknown } | { ok: false; code: string; message: string };

/**
 * Asks the Lua half. Answers come by a function that is handed over and not by a promise: those of the game server wait
 * for a tick. Rejects with {@link AdapterError} what the adapter says about itself; text is lost when it only throws.
 */
export const ask = <M extends keyof Answers>(method: M, ...args: Answers[M]['args']): Promise<Answers[M]['answer']> =>
  new Promise((resolve, reject) => {
    const done = (reply: Reply): void => {
      // The Lua half of this very resource answers what `Answers` says; players are parsed before they are sent.
      if (reply.ok) resolve(reply.answer as Answers[M]['answer']);
      else reject(new AdapterError(reply));
    };
    callLua(EXPORT, method, args, done);
  });

/** Hears who has changed or left, from now on, at most once a tick. */
export const watchPlayers = (heard: (news: News) => void): void => {
  callLua(EXPORT, 'watch', [], heard);
};
