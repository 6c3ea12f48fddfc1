/** Tests for a single node: they read state that each node has for itself. */
export const ONE_NODE: readonly { file: string; name: string; why: string }[] = [
  {
    file: 'server/commands/custom.test.ts',
    name: 'is run once, and its result is that of the game server',
    why: 'it reads the metrics of one node, and another one may have settled the command',
  },
  {
    file: 'server/cluster/events.test.ts',
    name: 'closes a reader that reads nothing, and one whose key is revoked',
    why: 'it counts the streams of one node in its metrics',
  },
  {
    file: 'promises/hostile/door.test.ts',
    name: 'refuses more bridges than it may hold: 503 with Retry-After',
    why: 'each node counts the bridges that it holds',
  },
  {
    file: 'promises/hostile/door.test.ts',
    name: 'refuses more bridges in one second than it may: 503 with Retry-After',
    why: 'each node counts the bridges that it lets in',
  },
  {
    file: 'promises/hostile/door.test.ts',
    name: 'refuses a server that connects too often: 429 with Retry-After',
    why: 'each node counts the connections that come to it',
  },
  {
    file: 'server/commands/live-command.test.ts',
    name: 'leaves the command the slot that it has in the next session',
    why: 'it looks at the slot and the caller of a command at one node',
  },
  {
    file: 'promises/security/refusals.test.ts',
    name: 'are refused without a log line, and counted',
    why: 'it reads the metrics of one node',
  },
  {
    file: 'promises/security/refusals.test.ts',
    name: 'are 429 after 600 from one address in a minute, and their connection is closed; a good key passes',
    why: 'each node counts the requests that come to it',
  },
  {
    file: 'promises/security/refusals.test.ts',
    name: 'are 429 without a log line once an address has sent too many wrong ones',
    why: 'each node counts the wrong secrets that come to it',
  },
  {
    file: 'promises/security/refusals.test.ts',
    name: 'open the socket when they did before, and a new one when fewer than 25 look-ups of the second have failed',
    why: 'each node counts the wrong secrets that come to it',
  },
  {
    file: 'promises/security/refusals.test.ts',
    name: 'cost no look-up when they are malformed',
    why: 'each node counts the wrong secrets that come to it',
  },
  {
    file: 'server/admin/quotas.test.ts',
    name: 'opens twice as many connections as it may have servers, and leaves the others to its neighbours',
    why: 'each node counts the bridges that it holds',
  },
  {
    file: 'server/commands/life.test.ts',
    name: 'finishes commands in flight while the hub stops',
    why: 'all nodes stop at once; tests/cluster has one that stops',
  },
  {
    file: 'server/auth/panel-sessions.test.ts',
    name: 'shares 600 reads a minute with every other session of its project',
    why: 'the panel has a minute of its own on each node',
  },
  {
    file: 'server/auth/panel-sessions.test.ts',
    name: 'is a guess: an address with many guesses is refused unread, but not its signed-in users',
    why: 'each node counts the wrong secrets that come to it',
  },
  {
    file: 'server/panel/statistics.test.ts',
    name: 'count commands by how they ended, in steps that outlive the hub',
    why: 'of the step that runs, a node knows its own outcomes',
  },
  {
    file: 'promises/security/wrong-keys.test.ts',
    name: '',
    why: 'each node counts the wrong secrets that come to it',
  },
  {
    file: 'server/commands/situations.test.ts',
    name: '503 store_unavailable: the database is down, and health says which',
    why: 'a node that has not seen a key cannot judge it without the database',
  },
  {
    file: 'server/players/sync.test.ts',
    name: 'are offline after a restart of the hub, until their bridge reports them',
    why: 'other nodes may hold their bridges: nobody is taken offline before a lease has ended',
  },
  {
    file: 'promises/failure-windows/disk.test.ts',
    name: 'shows in its health that writing works again, without a command that tries',
    why: 'only the node whose write failed knows it before the others try',
  },
  {
    file: 'promises/failure-windows/order.test.ts',
    name: 'leave in that order also if one without a key',
    why: 'each node writes at once what is for a bridge of another one',
  },
  {
    file: 'promises/failure-windows/order.test.ts',
    name: 'is not sent: its bridge is told not to start it',
    why: 'another node than that of the bridge writes the row',
  },
  {
    file: 'promises/failure-windows/order.test.ts',
    name: 'is sent when its key is repeated',
    why: 'the node of the bridge sends it at once',
  },
  {
    file: 'promises/failure-windows/order.test.ts',
    name: 'is sent within a minute without a request',
    why: 'the node of the bridge sends it at once',
  },
  {
    file: 'promises/failure-windows/order.test.ts',
    name: 'expires if its bridge stays away',
    why: 'the node of the bridge sends it at once',
  },
];
