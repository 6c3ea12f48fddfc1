import type { Outcome } from '../bridge-protocol/journal/journal.ts';
import type { CommandName } from '../bridge-protocol/wire/commands.ts';
import type { CatalogueKind, CommandError, JournalClass } from '../bridge-protocol/wire/messages.ts';
import { callLua } from './natives.ts';

/** The only export of the Lua half; it answers only this resource. */
const EXPORT = 'adapter';

/** The framework adapter's description of itself. */
export type Description = {
  framework: string;
  version: string;
  /** The class of the journal: that of its money. Absent for a server without money. */
  class?: JournalClass;
  /** The commands that it carries out, with the class of each; `none` for those without a lasting effect. */
  orders: Partial<Record<CommandName, JournalClass | 'none'>>;
  /** The kinds of catalogues that it has. */
  catalogues: CatalogueKind[];
  accounts: string[];
  hasDatabase: boolean;
};
/** A command with its checked parameters. */
export type Order = { id: string; name: CommandName };
/** `isLeftOut`: a row could not be read. `heldMs` is the longest time that the adapter held the game's thread since its last answer of this kind. */
export type Slice = { players: unknown; heldMs: number; isLeftOut?: boolean };
/** `last` is the key after which the next page begins; absent on the last page. */
export type Page = Slice & { last?: string };
/** The players that changed, that left, and that the game deleted, within one tick. */
export type News = { changed: string[]; left: string[]; removed: string[] };

type Answers = {
  describe: { args: []; answer: Description | undefined };
  order: { args: [Order]; answer: Outcome };
  /** The outcome of an interrupted order, if the player's own row or the framework's tables show it. */
  resolve: { args: [Order]; answer: Outcome | undefined };
  /** The server id of an online player. */
  source: { args: [string]; answer: { source?: string } };
  connection: { args: [string]; answer: { source?: string } };
  /** The identifiers whose records are in memory; an empty list is a list in both languages. */
  online: { args: []; answer: string[] };
  /** The records that can be read within these milliseconds; `count` says how many identifiers that covers. */
  records: { args: [string[], number]; answer: Slice & { count: number } };
  /** At most this many rows, and only those that can be read within these milliseconds. */
  page: { args: [string, number, number]; answer: Page };
  /** The first entries of a catalogue, or the next ones: those that can be read within these milliseconds. */
  catalogue: { args: [CatalogueKind, boolean, number]; answer: { entries: unknown; isLast: boolean } };
  ping: { args: []; answer: Record<string, never> };
};

/** The adapter failed to answer a request; a possible effect of the request is unknown. */
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
 * Calls the Lua half. Answers come through a callback, because a promise of the game server resolves only at the next
 * tick. Rejects with {@link AdapterError} when the adapter reports an error; the text of a thrown Lua error is lost.
 */
export const ask = <M extends keyof Answers>(method: M, ...args: Answers[M]['args']): Promise<Answers[M]['answer']> =>
  new Promise((resolve, reject) => {
    const done = (reply: Reply): void => {
      // The Lua half of this resource answers as `Answers` describes; players are parsed before they are sent.
      if (reply.ok) resolve(reply.answer as Answers[M]['answer']);
      else reject(new AdapterError(reply));
    };
    callLua(EXPORT, method, args, done);
  });

/** Subscribes to changed, departed and deleted players, at most once a tick. */
export const watchPlayers = (heard: (news: News) => void): void => {
  callLua(EXPORT, 'watch', [], heard);
};

/** Subscribes to changes of the catalogues, at most once a second. */
export const watchCatalogues = (heard: () => void): void => {
  callLua(EXPORT, 'watchCatalogues', [], heard);
};
