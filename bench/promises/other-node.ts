import { openNodes } from './nodes.ts';
import { inMs, type Measure, percentile, spread } from './report.ts';

const TURNS = 400;
const WARM_UP = 100;
const BOUND_MS = 2;

/** The cost of a kick through a node that does not hold the bridge: one caller uses both nodes in turn. */
export const otherNode: Measure = async () => {
  const cluster = await openNodes(['main'], 2);
  try {
    cluster.games.open('main');
    await cluster.games.welcomed('main');
    const ways = cluster.nodes.map(({ caller }) => ({ caller, ms: [] as number[] }));
    for (let turn = 0; turn < WARM_UP + TURNS; turn += 1) {
      for (const { caller, ms } of ways) {
        const answer = await caller.kick('main', 'char1:ana');
        if (answer.status !== 200) throw new Error(`a kick was answered with ${answer.status} ${answer.body.code}`);
        if (turn >= WARM_UP) ms.push(answer.ms);
      }
    }
    const medianOf = ({ ms }: { ms: number[] }): number => percentile(ms, 0.5);
    // The bench cannot see which node holds the bridge; the faster node is taken for it.
    const [own, other] = [...ways].sort((a, b) => medianOf(a) - medianOf(b));
    if (own === undefined || other === undefined) throw new Error('there are two nodes');
    const moreMs = medianOf(other) - medianOf(own);
    const none = { bound: 'none', isKept: undefined };
    return [
      { what: 'a kick at the node of the bridge', measured: spread(own.ms), ...none },
      { what: 'a kick at the other one', measured: spread(other.ms), ...none },
      {
        what: 'what that adds to the median',
        bound: `<= ${inMs(BOUND_MS)}`,
        measured: inMs(moreMs),
        isKept: moreMs <= BOUND_MS,
      },
    ];
  } finally {
    await cluster.games.kill();
    await cluster.close();
  }
};
