import type { BridgeMessage, MessageOf } from '../../bridge-protocol/wire/messages.ts';
import type { Player } from '../../bridge-protocol/wire/player.ts';
import { Breach, type Findings } from './findings.ts';
import type { Rule } from './rules.ts';

type Snapshot = MessageOf<BridgeMessage, 'players.snapshot'>;
type Changed = MessageOf<BridgeMessage, 'players.changed'>;

/** Judges the player frames of one connection: their parts and revisions. */
export const createPlayersJudge = (findings: Findings) => {
  let revision: number | undefined;
  let nextPart = 0;
  let complete = 0;

  const expect = (rule: Rule, holds: boolean, expected: string, saw: unknown): void => {
    findings.kept(rule);
    if (!holds) findings.broken(rule, new Breach({ rule, expected, saw: JSON.stringify(saw) }));
  };

  const snapshot = ({ players, ...message }: Snapshot): void => {
    const { part, last } = message;
    expect('R20', part === nextPart, `part ${nextPart}`, message);
    if (nextPart > 0) expect('R20', message.revision === revision, `a part of revision ${revision}`, message);
    revision = message.revision;
    nextPart = last ? 0 : part + 1;
    if (last) complete += 1;
  };

  const changed = ({ players, ...message }: Changed): void => {
    expect('R20', nextPart === 0, 'no players.changed between the parts of a snapshot', message);
    if (revision !== undefined) expect('R21', message.revision === revision + 1, `revision ${revision + 1}`, message);
    revision = message.revision;
  };

  return {
    heard: (message: BridgeMessage): void => {
      if (message.type === 'players.snapshot') snapshot(message);
      if (message.type === 'players.changed') changed(message);
    },
    /** Number of complete snapshots. */
    complete: (): number => complete,
  };
};
export type PlayersJudge = ReturnType<typeof createPlayersJudge>;

const KEPT = 64;

const playersOf = (message: BridgeMessage): Player[] => {
  if (message.type === 'players.record') return message.player === undefined ? [] : [message.player];
  return message.type === 'players.snapshot' || message.type === 'players.changed' ? message.players : [];
};

/** The players that the bridge reports: the online players, and the last balances of online and followed players. */
export const createRoster = (account: string) => {
  const online = new Set<string>();
  const balances = new Map<string, number | undefined>();
  return {
    heard: (message: BridgeMessage): void => {
      const isSnapshot = message.type === 'players.snapshot';
      for (const { identifier, online: isOnline, accounts } of playersOf(message)) {
        const balance = accounts[account];
        if (balance === undefined) continue;
        const isChosen = isSnapshot && isOnline && online.size < KEPT;
        if (isChosen) online.add(identifier);
        if (isChosen || balances.has(identifier)) balances.set(identifier, balance);
      }
    },
    /** The first few players with the account, in order of arrival. */
    online: (): string[] => [...online],
    /** Follows the balance of a player from now on. */
    follow: (identifier: string): void => {
      if (!balances.has(identifier)) balances.set(identifier, undefined);
    },
    /** The last reported balance of an online or followed player. */
    balance: (identifier: string): number | undefined => balances.get(identifier),
  };
};
