import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BridgeMessage, type MessageOf, readDeclaration } from '../../bridge-protocol/index.ts';
import type { CustomCommand, Session } from '../cluster/router.ts';

type Announcement = MessageOf<BridgeMessage, 'commands.custom'>;

/** Reading one announcement can take 0.3 s, so other work runs after each part of this length. */
const TURN_MS = 5;

/**
 * Reads an announcement of custom commands and puts it into the session, unless a newer one has come. `refuse` gets the
 * reason for each command that is not valid; the others count. `charge` gets the start of each part.
 */
export const readCustom = async (
  session: Session,
  announcement: Announcement,
  { refuse, charge }: { refuse: (problem: string) => void; charge: (from: number) => void },
): Promise<void> => {
  session.announcement = announcement;
  const taken = new Map<string, CustomCommand>();
  let from = performance.now();
  try {
    for (const { name, description, ...declared } of announcement.commands) {
      const read = taken.has(name) ? { problem: 'it was announced twice' } : readDeclaration(declared);
      if ('problem' in read) refuse(`${name}: ${read.problem}`.slice(0, 1024));
      else {
        const { schema: params, ...roles } = read;
        taken.set(name, { name, description, params, ...roles });
      }
      if (performance.now() - from < TURN_MS) continue;
      charge(from);
      await nextTurn();
      if (session.announcement !== announcement) return;
      from = performance.now();
    }
    charge(from);
    session.custom = taken;
  } finally {
    if (session.announcement === announcement) session.announcement = undefined;
  }
};
