import { createHash, randomBytes } from 'node:crypto';
import { COMMANDS } from '../../bridge-protocol/wire/commands.ts';
import type { Hub } from '../hub/hub.ts';
import type { Book, Command, Result } from '../judges/book.ts';
import { NotTried } from '../judges/findings.ts';
import type { Line } from '../line/line.ts';
import type { Waits } from '../line/watch.ts';
import type { Confirmations } from './confirmations.ts';
import type { Expectation } from './waiting.ts';

/** The players and the command that verify uses. */
export type Cast = {
  /** The player that commands act on. */
  target: string | undefined;
  /** A second player, for the order between players. */
  other: string | undefined;
  /** The player who may be kicked. */
  kick: string | undefined;
  /** The item that is given and taken; without it one of the bridge's catalogue. */
  item: string | undefined;
  /** A custom command that may run; the journal's transactions do not cover its effect. */
  custom: { name: string; params: Record<string, unknown> } | undefined;
};

type PurseOptions = {
  hub: Hub;
  book: Book;
  waits: Waits;
  confirmations: Confirmations;
  cast: Cast;
  account: string;
  line: () => Line;
  until: <T>(look: () => T | undefined, expectation: Expectation) => Promise<T>;
  happens: <T>(look: () => T | undefined, ms: number) => Promise<T | undefined>;
};

const fingerprintOf = (name: string, params: object): string =>
  createHash('sha256')
    .update(JSON.stringify(['verify', name, params]))
    .digest('base64url');

/** Commands: creates and sends them, and acknowledges their results. */
export const createPurse = ({ hub, book, waits, confirmations, cast, account, line, until, happens }: PurseOptions) => {
  const newId = (): string => `cmd_${randomBytes(20).toString('hex')}`;

  const command = (name: string, params: Record<string, unknown>, changes: Partial<Command> = {}): Command => ({
    type: 'command',
    id: newId(),
    name,
    params,
    fingerprint: fingerprintOf(name, params),
    expiresAt: hub.now() + COMMANDS.money.ttlMs,
    attempt: 1,
    ...changes,
  });

  /** Pays one unit into the account of a player, or takes one; `delta` is 1 by default. */
  const money = (target: string, delta = 1, changes: Partial<Command> = {}): Command => {
    const action = delta < 0 ? 'remove' : 'add';
    const params = { target, type: account, amount: Math.abs(delta), action, allowNegative: true, reason: 'verify' };
    return command('money', params, changes);
  };

  /** Sends a command; `extra` are fields outside the protocol, and `rewrite` changes the JSON. */
  const deliver = (
    sent: Command,
    { on = line(), extra = {}, rewrite = (json: string): string => json } = {},
  ): Command => {
    book.sent(sent.id, { command: sent, isDraining: hub.isBridgeDraining() });
    confirmations.follow(on, sent.id);
    on.sendText(rewrite(JSON.stringify({ ...sent, ...extra })));
    return sent;
  };

  /** The nth result (1 is the first) for an id. */
  const result = (id: string, { nth = 1, ...expectation }: Partial<Expectation> & { nth?: number } = {}) =>
    until(() => book.get(id)?.results[nth - 1], {
      expected: nth === 1 ? `a result for ${id}` : `result number ${nth} for ${id}`,
      withinMs: waits.settleMs,
      on: line(),
      ...expectation,
    });

  /**
   * Waits until all these commands have a result. A slow machine needs longer, so the time counts from the last result.
   * @throws NotTried when no more results come
   */
  const settled = async (ids: readonly string[]): Promise<void> => {
    const count = () => ids.filter((id) => (book.get(id)?.results.length ?? 0) > 0).length;
    for (let before = -1; count() > before && count() < ids.length; ) {
      before = count();
      await happens(() => (count() > before ? true : undefined), waits.settleMs);
    }
    if (count() < ids.length) throw new NotTried(`${count()} of ${ids.length} commands were settled`);
  };

  /** Delivers a command, and waits for its next result. */
  const carryOut = (sent: Command, expectation: Partial<Expectation> = {}): Promise<Result> => {
    const nth = (book.get(sent.id)?.results.length ?? 0) + 1;
    deliver(sent);
    return result(sent.id, { ...expectation, nth });
  };

  const target = (): string => {
    if (cast.target === undefined) throw new NotTried(`no player with a ${account} is online: give --target`);
    return cast.target;
  };

  /** Carries out a command that changes a number; returns the values before and after. */
  const change = async (order: Command): Promise<{ before: number; after: number }> => {
    const { status, data, error } = await carryOut(order);
    const { before, after } = { before: undefined, after: undefined, ...data };
    if (status === 'done' && typeof before === 'number' && typeof after === 'number') return { before, after };
    const { name, params } = order;
    throw new NotTried(`${name} for ${params['target']} ended as ${status} ${error?.code ?? ''}`.trim());
  };

  /** Changes a balance by one unit. */
  const move = (delta: 1 | -1, player: string): Promise<{ before: number; after: number }> =>
    change(money(player, delta));

  /** Acknowledges settled commands, as a hub does. */
  const acknowledge = (ids: readonly string[] = book.unacknowledged()): void => {
    if (ids.length === 0) return;
    line().send({ type: 'ack', ids });
    for (const id of ids) {
      const entry = book.get(id);
      if (entry !== undefined) entry.isAcked = true;
    }
  };

  return { command, money, deliver, result, settled, carryOut, target, change, move, acknowledge };
};
