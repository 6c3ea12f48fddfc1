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

/** Whether a player can be given something: those who are online, unless their record says otherwise. */
export const canPlay = ({ online, playable = online }: Player): boolean => online && playable;

const KEPT = 64;

const playersOf = (message: BridgeMessage): Player[] => {
  if (message.type === 'players.record') return message.player === undefined ? [] : [message.player];
  return message.type === 'players.snapshot' || message.type === 'players.changed' ? message.players : [];
};

/** The players that the bridge reports: the online players, and the last records of online and followed players. */
export const createRoster = (account: string) => {
  const online = new Set<string>();
  const payable = new Set<string>();
  const records = new Map<string, Player | undefined>();
  /** Whether a player could play, by the last snapshot or change. */
  const plays = new Map<string, boolean>();
  const shown = { inventory: false, vehicles: false, playable: false };

  const noteOnline = ({ identifier, accounts }: Player): void => {
    if (online.size < KEPT) online.add(identifier);
    if (accounts[account] !== undefined && payable.size < KEPT) payable.add(identifier);
  };

  return {
    heard: (message: BridgeMessage): void => {
      for (const player of playersOf(message)) {
        const { identifier, inventory, vehicles, playable } = player;
        if (message.type === 'players.snapshot' && player.online) noteOnline(player);
        if (inventory.length > 0) shown.inventory = true;
        if (vehicles.length > 0) shown.vehicles = true;
        if (playable !== undefined) shown.playable = true;
        const isKept = records.has(identifier) || online.has(identifier) || payable.has(identifier);
        if (isKept) records.set(identifier, player);
        if (isKept && message.type !== 'players.record') plays.set(identifier, canPlay(player));
      }
      if (message.type === 'players.changed') for (const left of message.offline) plays.set(left, false);
    },
    /** The first few online players, in order of arrival. */
    online: (): string[] => [...online],
    /** The first few online players with the account. */
    payable: (): string[] => [...payable],
    /** Keeps the record of a player from now on. */
    follow: (identifier: string): void => {
      if (!records.has(identifier)) records.set(identifier, undefined);
    },
    /** The last record of an online or followed player. */
    record: (identifier: string): Player | undefined => records.get(identifier),
    /** The last reported balance of an online or followed player. */
    balance: (identifier: string): number | undefined => records.get(identifier)?.accounts[account],
    /** Whether an online or followed player can play, as the bridge has reported without being asked. */
    plays: (identifier: string): boolean | undefined => plays.get(identifier),
    /** Whether any record has had one of these: a bridge may report none. */
    shows: (kind: keyof typeof shown): boolean => shown[kind],
  };
};
