import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BridgeMessage, type MessageOf, readSchema } from '../../bridge-protocol/index.ts';
import type { CustomCommand, Session } from '../cluster/router.ts';

type Announcement = MessageOf<BridgeMessage, 'commands.custom'>;

/** The schemas of one announcement may take 0.3 s; others are served after each such part of it. */
const TURN_MS = 5;

/**
 * Reads what the bridge announced, and then takes it for the session, unless a newer announcement has come. Of each
 * command that cannot be taken `refuse` is told why; the others count. `charge` is told when each part began.
 */
export const readCustom = async (
  session: Session,
  announcement: Announcement,
  { refuse, charge }: { refuse: (problem: string) => void; charge: (from: number) => void },
): Promise<void> => {
  session.announcement = announcement;
  const taken = new Map<string, CustomCommand>();
  let from = performance.now();
  for (const { name, description, params } of announcement.commands) {
    const read = taken.has(name) ? { problem: 'it was announced twice' } : readSchema(params);
    if ('problem' in read) refuse(`${name}: ${read.problem}`.slice(0, 1024));
    else taken.set(name, { name, description, params: read.schema });
    if (performance.now() - from < TURN_MS) continue;
    charge(from);
    await nextTurn();
    if (session.announcement !== announcement) return;
    from = performance.now();
  }
  charge(from);
  session.custom = taken;
  session.announcement = undefined;
};
