import type { Bus } from '../cluster/bus.ts';
import type { Router } from '../cluster/router.ts';
import type { Dispatch } from './dispatch.ts';
import type { Lanes } from './lanes.ts';

/**
 * What is left for a bridge that has gone to another node: that one is told to look into the rows. False: no other node
 * holds it.
 */
export const createHandOn =
  ({ router, bus }: { router: Router; bus: Pick<Bus, 'tell'> }) =>
  async ({ projectId, serverId }: { projectId: string; serverId: string }): Promise<boolean> => {
    // It was here a moment ago.
    router.doubt(projectId, serverId);
    const place = await router.locate(projectId, serverId);
    if (place === undefined) return false;
    bus.tell(place.node, { type: 'waiting' });
    return true;
  };
export type HandOn = ReturnType<typeof createHandOn>;

/** A bridge has gone: what waits for it here is written, and told to the node that holds it now. */
export const createLeaveBehind =
  ({ lanes, dispatch, handOn }: { lanes: Lanes; dispatch: Dispatch; handOn: HandOn }) =>
  async (address: { projectId: string; serverId: string }): Promise<void> => {
    const waiting = [...(lanes.peek(address.projectId, address.serverId)?.waiting() ?? [])];
    await Promise.all(waiting.map((entry) => dispatch.keep(entry)));
    await handOn(address);
  };
