import type { Caller } from './caller.ts';
import type { Cpu } from './cpu.ts';
import { pause } from './hub.ts';
import { openNodes } from './nodes.ts';
import type { Line, Measure } from './report.ts';

const CALLERS = 64;
const BRIDGES = 12;
const WARM_UP_MS = 3_000;
const MEASURED_MS = 5_000;

type Cluster = Awaited<ReturnType<typeof openNodes>>;
/** The node that a caller uses in its n-th turn. */
type Way = (cluster: Cluster, caller: number, turn: number) => Caller | undefined;

const own: Way = ({ nodes }, caller) => nodes[caller % nodes.length]?.caller;
const any: Way = ({ nodes }, caller, turn) => nodes[(caller + turn) % nodes.length]?.caller;

const KINDS = {
  kicks: (caller: Caller, server: string, target: string) => caller.kick(server, target),
  payments: (caller: Caller, server: string, target: string) => caller.money(server, target),
};
type Kind = keyof typeof KINDS;

const costs = (before: Cpu, after: Cpu, commands: number): string =>
  Object.entries(after)
    .map(([who, seconds]) => `${who} ${(((seconds - (before[who] ?? 0)) / commands) * 1e6).toFixed(0)}`)
    .join(', ');

/** Runs this many callers at full speed, each with its own player. */
const flow = async (cluster: Cluster, kind: Kind, way: Way, what: string): Promise<Line> => {
  let [done, isOver] = [0, false];
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let turn = 0; !isOver; turn += 1) {
      const node = way(cluster, caller, turn);
      if (node === undefined) throw new Error('there is no such node');
      const { status, body } = await KINDS[kind](node, `s${caller % BRIDGES}`, `char1:${caller}`);
      if (status !== 200) throw new Error(`${kind}: ${status} ${body.code}`);
      done += 1;
    }
  });
  const end = Promise.all(callers);
  await Promise.race([pause(WARM_UP_MS), end]);
  const [from, before, cpu] = [performance.now(), done, await cluster.cpu()];
  await Promise.race([pause(MEASURED_MS), end]);
  const commands = done - before;
  const perSecond = (commands / (performance.now() - from)) * 1_000;
  const told = costs(cpu, await cluster.cpu(), commands);
  isOver = true;
  await end;
  const measured = `${perSecond.toFixed(0)} a second; CPU for each, \u00b5s: ${told}`;
  return { what: `${kind}, ${what}`, bound: 'none', measured, isKept: undefined };
};

const measure = async (count: number, ways: readonly (readonly [string, Way])[]): Promise<Line[]> => {
  const servers = Array.from({ length: BRIDGES }, (_, n) => `s${n}`);
  const cluster = await openNodes(servers, count);
  try {
    // The n-th node holds every n-th bridge, and serves every n-th caller.
    for (const [n, server] of servers.entries()) cluster.games.open(server, cluster.nodes[n % count]?.bridgeUrl);
    for (const server of servers) await cluster.games.welcomed(server);
    const lines: Line[] = [];
    for (const [what, way] of ways) {
      for (const kind of ['kicks', 'payments'] as const) lines.push(await flow(cluster, kind, way, what));
    }
    return lines;
  } finally {
    await cluster.games.kill();
    await cluster.close();
  }
};

/** Three nodes against one on the same machine: their throughput, and each process's share of the CPU. */
export const threeNodes: Measure = async () => [
  ...(await measure(1, [['one node', own]])),
  ...(await measure(3, [
    ['three nodes, each asked for its own bridges', own],
    ['three nodes, each asked for any bridge', any],
  ])),
];
