import { type Exploration, search } from '../search.ts';
import { bridgeSteps, chances } from './chances.ts';
import { hubSteps } from './hub.ts';
import { type Config, copyOf, firstWorld, keyOf, type World } from './world.ts';

/** The promises, checked in every state. Undefined: all hold. */
const brokenIn = ({ broken, hubs, sessionRow }: World): string | undefined => {
  if (broken !== undefined) return broken;
  for (const c of hubs[0]?.callers.keys() ?? []) {
    const flying = hubs.filter(
      ({ live, session }) => live[c]?.slot === 'inFlight' && session?.epoch === sessionRow.epoch,
    );
    if (flying.length > 1) return 'in flight at two nodes in the newest session';
    if (hubs.some(({ callers, live }) => callers[c] === 'waiting' && live[c] === undefined)) {
      return 'callers wait for a command that their node has forgotten';
    }
  }
  return undefined;
};

/** Nothing is left to happen by itself, and the bridge is connected: every command has ended, and no task works on it. */
const brokenAtRest = ({ rows, hubs }: World): string | undefined => {
  const open = rows.find(({ status }) => status === 'accepted' || status === 'dispatched');
  if (open !== undefined) return `at rest, and a row is ${open.status}`;
  for (const { callers, live } of hubs) {
    if (callers.includes('waiting')) return 'at rest, and a caller waits';
    if (live.some((each) => each !== undefined)) {
      return 'at rest, and a node has not forgotten a command';
    }
  }
  return undefined;
};

/** Visits every state of the live commands that any order of steps and faults can reach. */
export const exploreLive = (config: Config): Exploration =>
  search<World>({
    first: firstWorld(config),
    copyOf,
    keyOf,
    progress: (world) => [...bridgeSteps(world, config), ...hubSteps(world, config)],
    chances: (world) => chances(world, config),
    brokenIn,
    brokenAtRest,
  });
