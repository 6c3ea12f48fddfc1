import type { CustomCommands } from '../custom/commands.ts';
import type { Journal, Outcome } from '../journal/journal.ts';
import { STOPPED_PROBE_MS } from '../wire/close-codes.ts';
import type { CommandContext, CommandName, CommandParams } from '../wire/commands.ts';
import { LIMITS } from '../wire/limits.ts';
import type { BridgeMessage, CatalogueEntry, CatalogueKind, JournalClass, MessageOf } from '../wire/messages.ts';
import type { Player } from '../wire/player.ts';

/** The events of a socket for its bridge. After `close` or `refused` no further event follows. */
export type SocketEvents = {
  open(): void;
  message(frame: string): void;
  close(code: number, reason: string): void;
  /** The hub refused the upgrade with an HTTP status. */
  refused(refusal: { status: number; body: string; retryAfterMs?: number }): void;
};

export type BridgeSocket = {
  send(frame: string): void;
  close(code: number, reason: string): void;
  /** Ends the connection without a close frame. */
  terminate(): void;
  /** Bytes that were sent and have not left yet. */
  readonly bufferedAmount: number;
};

/** Opens a socket to the hub. Exactly one of `close` and `refused` is called, once. */
export type OpenSocket = (events: SocketEvents) => BridgeSocket;

/**
 * Carries a command out in the game. The returned outcome is final. A thrown error proves nothing about the effect
 * (see the journal's class). An `atomic` handler settles the journal entry inside its own transaction.
 */
export type CommandHandler<N extends CommandName> = (
  params: CommandParams<N>,
  context: CommandContext,
) => Outcome | Promise<Outcome>;
export type CommandHandlers = Partial<{ [N in CommandName]: CommandHandler<N> }>;

export type PlayersSource = {
  /**
   * All players that the game server knows, online or not. The bridge reads a few at a time, so that commands run in
   * between. It reads an async source as fast as that yields.
   */
  snapshot(): Iterable<Player> | AsyncIterable<Player>;
  /** Answers undefined for a player that the source does not have: from a complete source, the hub takes it for deleted. */
  read?(identifier: string): Player | undefined | Promise<Player | undefined>;
  /**
   * Asked after each snapshot was read: whether it had every player of the game, so that those it lacks were deleted.
   * Absent: the source may lack players of the game.
   */
  complete?(): boolean;
};

/** The game's items, vehicle models and jobs, sorted by label. The bridge reads them after each welcome, and on `cataloguesChanged`. */
export type CataloguesSource = {
  [K in CatalogueKind]?: () => Iterable<CatalogueEntry> | Promise<Iterable<CatalogueEntry>>;
};

/** Times of a bridge in milliseconds. */
export type BridgeTimings = {
  reconnectBaseMs: number;
  reconnectMaxMs: number;
  /** A connection that held this long makes the reconnect delay start over. */
  stableMs: number;
  silenceMs: number;
  receivedWithinMs: number;
  statusEveryMs: number;
  stoppedProbeMs: number;
};

export const DEFAULT_TIMINGS: BridgeTimings = {
  reconnectBaseMs: 500,
  reconnectMaxMs: 30_000,
  stableMs: 60_000,
  silenceMs: LIMITS.bridgeSilenceMs,
  receivedWithinMs: LIMITS.receivedWithinMs,
  statusEveryMs: LIMITS.statusEveryMs,
  stoppedProbeMs: STOPPED_PROBE_MS,
};

export type Log = (level: 'info' | 'warn' | 'error', message: string) => void;

/** `connected`: hello was sent. `waiting`: for the next attempt. `stopped`: by the owner, or by order of the hub. */
export type BridgeState = 'idle' | 'connecting' | 'connected' | 'welcomed' | 'waiting' | 'stopped';

export type BridgeOptions = {
  openSocket: OpenSocket;
  software: { name: string; version: string; game?: string; framework?: string; frameworkVersion?: string };
  /** Stays open until its owner closes it, after `stop`. */
  journal: Journal;
  /** Only the commands that have a handler are declared to the hub. */
  commands: CommandHandlers;
  /** The class of commands whose effect is saved less safely than the journal promises; a stronger one has no effect. */
  classes?: Partial<Record<CommandName, JournalClass>>;
  /**
   * The latest version of a command that its handler carries out; 1 without an entry. `announce: 2`: the handler shows an
   * announcement with `targets` to these players only.
   */
  versions?: Partial<Record<CommandName, number>>;
  /** Custom commands that the game server adds while it runs. */
  custom?: CustomCommands;
  /** Account types of this server; must contain `bank`. */
  accounts: readonly string[];
  players?: PlayersSource;
  /** Lists that people choose from. */
  catalogues?: CataloguesSource;
  status?: () => Pick<MessageOf<BridgeMessage, 'status'>, 'players' | 'database' | 'tickMs' | 'restartAt'>;
  /** One per process start; random unless given. */
  instance?: string;
  /** In [0, 1). */
  random?: () => number;
  /** Epoch milliseconds. */
  now?: () => number;
  onState?: (state: BridgeState, detail: string) => void;
  log?: Log;
  timings?: Partial<BridgeTimings>;
};

export type PlayersChange = { players?: Player[]; offline?: string[]; removed?: string[] };

export type Bridge = {
  /** Connects, and stays connected. A bridge that was stopped does not start again. */
  start(): void;
  /** Takes no new commands, waits up to 5 s for running ones, sends `bye` and closes. */
  stop(reason?: string): Promise<void>;
  /** Reports changed players. Dropped while not welcomed: the snapshot after the next welcome contains them. */
  changed(change: PlayersChange): void;
  /** Sends the catalogues that have changed since they were sent. */
  cataloguesChanged(): void;
  /** Sends `status` now instead of at the next interval. */
  reportStatus(): void;
  /** Before a restart of the game server: tells the hub, and rejects new commands with `server_restarting`. */
  draining(on: boolean): void;
  readonly state: BridgeState;
  /** The hub's name and number of this connection, and the id it has for this server, while welcomed. */
  readonly session: { id: string; epoch: number; server: string | undefined } | undefined;
  /** The number of received commands that have not ended. */
  readonly inHand: number;
};
