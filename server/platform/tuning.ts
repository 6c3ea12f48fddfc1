/**
 * Times and limits of a hub that operators need not change. Code that starts a hub can pass others, as tests and
 * measurements do. Times in milliseconds, sizes in bytes.
 */
export const TUNING = {
  /** How long a game server may take to give a fresh player record; a caller then gets the stored one. */
  playerReadTimeoutMs: 3_000,
  /** How long a bridge may take to send `hello`: several round trips on a bad line. */
  helloTimeoutMs: 5_000,
  /** How long after its `welcome` a bridge may announce custom commands that commands wait for: resources start later. */
  offeredWithinMs: 60_000,
  /** Time between two pings. A bridge reconnects when it has heard nothing for 40 seconds, so at most 30,000. */
  pingEveryMs: 15_000,
  /** A bridge that says nothing for `pingEveryMs` plus this is closed (4001): it is gone before the bridge gives up. */
  pingTimeoutMs: 10_000,
  /** A command unconfirmed for this long makes the hub ping at once; a healthy bridge confirms within 20 ms. */
  receivedProbeMs: 2_000,
  /** A command unconfirmed for this long closes the bridge (4008): before the caller's ten seconds are over. */
  receivedCloseMs: 5_000,
  /** A bridge that takes nothing off its socket for this long is closed (4003). */
  slowConsumerMs: 10_000,
  /** So is a bridge with more unsent bytes than this: a full window of commands is far smaller. */
  slowConsumerBytes: 1_048_576,
  /** A bridge over its budget for this long is closed (4006): the sync of a full server stays well below it. */
  overBudgetMs: 30_000,
  /** How often deadlines are looked at: the precision of all the times above, for little CPU. */
  sweepEveryMs: 250,
  /** How often the hub reads tokens, servers and projects that the command line changed: a revoked token is out in 1 s. */
  revocationCheckMs: 500,
  /** How long a stopping node of a cluster serves at least while `/readyz` says 503: a proxy checks every second or two. */
  shutdownNoticeMs: 3_000,
  /** Connects of one game server: one every two seconds is a bridge that reconnects in a loop. */
  connectsPerMinute: 30,
  /** Wrong keys, tokens or cookies from one address before it is refused unread: far too few to guess a secret. */
  wrongKeysPerMinute: 30,
  /** Refused requests without a good key or signature from one address: pages that do not exist, too. */
  keylessPerMinute: 600,
  /** How often the hub looks whether a backup is due. */
  backupCheckMs: 30_000,
  /** Least time from the start to a backup that is due, five times as long at most: first the bridges come back. */
  backupDelayMs: 60_000,
  /** How often the hub looks for shop orders that another process has left: they are started at once otherwise. */
  shopCheckMs: 2_000,
  /** How long an export waits for another one of its project, before it is refused. */
  exportWaitMs: 10_000,
  /** Open event streams of one project: a tab of the panel holds one. */
  maxEventStreams: 50,
  /** HTTP connections beside the bridges: each takes a file descriptor and some memory. */
  maxHttpConnections: 10_000,
};
export type Tuning = Readonly<typeof TUNING>;
