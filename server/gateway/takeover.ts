import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HeldSession } from '../../db/queries/sessions.ts';
import type { Store } from '../../db/store.ts';
import type { Bus } from '../cluster/bus.ts';
import { addressOf, type Router, type Session } from '../cluster/router.ts';
import type { Commands } from '../commands/commands.ts';
import type { Players } from '../players/players.ts';
import { type Connection, close, terminate } from './connection.ts';

const PAGE = 500;
const FENCED_FOR_MS = 30_000;
/** The line broke: nobody knows how any more. */
const GONE = 1006;
/** A node that is there answers within a millisecond; nobody's welcome waits longer for one that is not. */
const FENCED_WITHIN_MS = 200;

/** Ends sockets whose bridge has come elsewhere: to another socket here, or to another node. */
export const createTakeover = ({
  store,
  router,
  bus,
  commands,
  players,
  bySession,
  now,
}: {
  store: Pick<Store, 'sessions'>;
  router: Router;
  bus: Pick<Bus, 'tell' | 'ask'>;
  commands: Pick<Commands, 'detach'>;
  players: Pick<Players, 'disconnected'>;
  bySession: ReadonlyMap<string, Connection>;
  now: () => number;
}) => {
  /** What the last look found connected to this node by its row, and nowhere else. */
  let rowsOfNobody = new Map<string, number>();

  const dismiss = (sessionId: string, name: 'replaced' | 'fenced'): void => {
    const connection = bySession.get(sessionId);
    if (connection?.fenced === true) close(connection, name);
  };

  /** Nothing more is sent to it; what it still says of outcomes counts. `cut`: its process has opened another socket. */
  const fence = (sessionId: string, cut: boolean): void => {
    const connection = bySession.get(sessionId);
    const session = connection?.session;
    if (connection === undefined || session === undefined || connection.fenced) return;
    if (router.find(session.projectId, session.serverId)?.id === sessionId) {
      commands.detach(session);
      router.detach(session);
    }
    connection.fenced = true;
    if (cut) return terminate(connection);
    // Its node tells how it ends; should that get lost, it ends all the same.
    connection.terminateAt = performance.now() + FENCED_FOR_MS;
  };

  /** Those of this node's that are connected to it by their rows. */
  const heldByRow = async (): Promise<Map<string, HeldSession>> => {
    const held = new Map<string, HeldSession>();
    let last: Awaited<ReturnType<Store['sessions']['heldBy']>>[number] | undefined;
    for (;;) {
      const page = await store.sessions.heldBy(router.node, last, PAGE);
      for (const row of page) held.set(addressOf(row.projectId, row.serverId), row);
      last = page.at(-1);
      if (last === undefined || page.length < PAGE) return held;
      await nextTurn();
    }
  };

  /** Ends rows of bridges that are gone: no database was there when they went. One that comes now has its row first. */
  const endRowsOfNobody = async (held: ReadonlyMap<string, HeldSession>): Promise<void> => {
    const suspects = [...held].filter(([, row]) => router.find(row.projectId, row.serverId)?.epoch !== row.epoch);
    const before = rowsOfNobody;
    rowsOfNobody = new Map(suspects.map(([address, { epoch }]) => [address, epoch]));
    for (const [address, row] of suspects) {
      if (before.get(address) !== row.epoch) continue;
      const ended = await store.sessions.close({ ...row, at: now(), closeCode: GONE });
      if (ended !== undefined) await players.disconnected(row);
    }
  };

  return {
    fence,
    dismiss,
    /**
     * The newest wins. An incumbent of another instance is told so (and stops for good) only when the newcomer has said
     * something: a hello that a dead process left behind may be read after that of its living successor.
     */
    replaceHere: (incumbent: Session, newcomer: Connection, instance: string): void => {
      commands.detach(incumbent);
      const old = bySession.get(incumbent.id);
      if (old === undefined) return;
      old.fenced = true;
      if (incumbent.instance === instance) terminate(old);
      else newcomer.displaced = (name) => close(old, name);
    },
    /**
     * The same for one that another node held. Resolves when nothing that it says of players counts any more, if that node
     * hears: a node that does not is known by its rows to hold nothing.
     */
    replaceThere: async (
      incumbent: { id: string; node: string; instance: string },
      newcomer: Connection,
      instance: string,
    ): Promise<void> => {
      const { id: sessionId, node } = incumbent;
      const cut = incumbent.instance === instance;
      if (!cut) newcomer.displaced = (name) => bus.tell(node, { type: 'dismiss', sessionId, name });
      await bus.ask(node, { type: 'fence', sessionId, cut }, FENCED_WITHIN_MS);
    },
    /** Closes what rows say that this node does not hold any more, and ends rows that say it holds what it does not. */
    check: async (): Promise<void> => {
      const sessions = [...router.all()];
      const held = await heldByRow();
      for (const session of sessions) {
        if (held.get(addressOf(session.projectId, session.serverId))?.epoch === session.epoch) continue;
        fence(session.id, false);
        dismiss(session.id, 'fenced');
      }
      await endRowsOfNobody(held);
    },
  };
};
export type Takeover = ReturnType<typeof createTakeover>;
