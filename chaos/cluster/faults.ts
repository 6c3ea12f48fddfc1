import type { Random } from '../../simulator/random.ts';
import type { Victim } from '../../tests/kit/processes.ts';
import { type Fault, lineFaults, type Maker, planned } from '../faults.ts';
import type { ProxyLine } from '../proxy.ts';
import type { Node, Restartable } from './nodes.ts';

/** The parts of a cluster that faults act on. */
type Cluster = {
  nodes: readonly [Node, ...Node[]];
  game: Victim;
  bridgeLine: ProxyLine;
  callerLine: ProxyLine;
  nats: Restartable;
  postgres: Restartable;
};

/** The faults of a cluster: of a random node, of the PostgreSQL and NATS servers, and of the lines. */
const MAKERS: Record<string, Maker<Cluster>> = {
  ...lineFaults<Cluster>('bridgeLine'),
  ...lineFaults<Cluster>('callerLine'),
  'kill node': ({ nodes }, random) => {
    const node = random.pick(nodes);
    return { begin: () => node.child.kill(), end: () => node.child.start() };
  },
  'pause node': ({ nodes }, random) => {
    const node = random.pick(nodes);
    return { begin: () => node.child.pause(), end: () => node.child.resume() };
  },
  'cut NATS from a node': ({ nodes }, random) => {
    const { bus } = random.pick(nodes);
    return { begin: bus.cut, end: bus.mend };
  },
  'cut PostgreSQL from a node': ({ nodes }, random) => {
    const { base } = random.pick(nodes);
    return { begin: base.cut, end: base.mend };
  },
  'restart NATS': ({ nats }, _random, forMs) => ({ begin: () => nats.restart('SIGKILL', forMs) }),
  'restart PostgreSQL': ({ postgres }, random, forMs) => {
    const isCrash = random.chance(0.5);
    return {
      begin: () => postgres.restart(isCrash ? 'SIGQUIT' : 'SIGINT', forMs),
      detail: isCrash ? 'no word' : 'told',
    };
  },
  'kill game': ({ game }) => ({ begin: () => game.kill(), end: () => game.start() }),
  'pause game': ({ game }) => ({ begin: () => game.pause(), end: () => game.resume() }),
};

const WEIGHTS: [string, number][] = [
  ['kill node', 14],
  ['pause node', 16],
  ['cut NATS from a node', 16],
  ['restart NATS', 8],
  ['cut PostgreSQL from a node', 12],
  ['restart PostgreSQL', 6],
  ['cut bridgeLine', 16],
  ['stall bridgeLine', 5],
  ['cut callerLine', 6],
  ['delay callerLine', 3],
  ['kill game', 3],
  ['pause game', 5],
];

export const planClusterFaults = (cluster: Cluster, random: Random, always?: string): Fault[] =>
  planned(cluster, random, MAKERS, WEIGHTS, always);
