import type { CommandRow } from '../../db/queries/commands/read.ts';
import type { Lane } from '../../db/queries/commands/waiting.ts';
import type { Bus } from '../cluster/bus.ts';
import type { Router } from '../cluster/router.ts';
import type { Lanes } from './lanes.ts';
import { type Pump, targetsOf } from './pump.ts';
import type { createRounds } from './rounds.ts';

type Address = { readonly projectId: string; readonly serverId: string };

const asLane = ({ deliver, target }: CommandRow): Lane[] => (deliver === null ? [] : [{ deliver, target }]);

/** Takes commands that have just been stored as waiting. */
export const createAdditions = ({
  router,
  bus,
  lanes,
  sessionOf,
  pump,
  wake,
  wakeOnline,
  isPlaying,
  tryLater,
}: {
  router: Router;
  bus: Pick<Bus, 'tell'>;
  lanes: Lanes;
} & Pump &
  Pick<ReturnType<typeof createRounds>, 'isPlaying' | 'tryLater'>) => {
  /** The node that holds the bridge reads the waiting commands. */
  const tellNode = async ({ projectId, serverId }: Address): Promise<void> => {
    const place = await router.locate(projectId, serverId);
    if (place !== undefined) bus.tell(place.node, { type: 'waiting' });
  };

  return {
    /** A command was stored as waiting. True: it leaves at once. */
    added: async (row: CommandRow): Promise<boolean> => {
      if (row.deliver === null) return false;
      const line = lanes.find(row);
      if (line === undefined) {
        // The other node also looks by itself.
        await tellNode(row).catch(() => undefined);
        return false;
      }
      const { deliver, target } = row;
      const state = lanes.add(line, { deliver, target }, true);
      // Its lane must not be forgotten before it is woken.
      state.isAsked = true;
      try {
        const isReady = deliver !== 'when_online' || (target !== null && (await isPlaying(line, target)));
        if (!isReady) return false;
      } catch {
        // It is stored, and this must not sound as if it were not.
        tryLater(line, state);
        return false;
      }
      wake(line, state);
      pump(line);
      return sessionOf(line) !== undefined;
    },
    /** Commands of one server were stored as waiting. */
    addedAll: async (rows: readonly CommandRow[]): Promise<void> => {
      const [first] = rows;
      if (first === undefined) return;
      const line = lanes.find(first);
      if (line === undefined) return tellNode(first);
      for (const { deliver, target } of rows) {
        if (deliver === null) continue;
        const state = lanes.add(line, { deliver, target }, true);
        // Its lane must not be forgotten before it is woken.
        state.isAsked = true;
        if (deliver !== 'when_online') wake(line, state);
      }
      pump(line);
      if (line.isSynced) await wakeOnline(line, targetsOf(rows.flatMap(asLane)));
    },
  };
};
