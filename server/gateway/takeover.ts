import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HeldSession } from '../../db/queries/sessions.ts';
import type { Store } from '../../db/store.ts';
import { addressOf, type Session } from '../cluster/router.ts';
import type { GatewayDeps } from '../parts/parts.ts';
import type { Connection } from './socket.ts';

const PAGE = 500;
const FENCED_FOR_MS = 30_000;
/** Close code for a connection that broke without a close frame. */
const GONE = 1006;
/** A node answers within a millisecond; a welcome waits no longer than this for a missing one. */
const FENCED_WITHIN_MS = 200;

/** Ends sockets whose bridge has moved to another socket of this node or to another node. */
export const createTakeover = (deps: GatewayDeps & { bySession: ReadonlyMap<string, Connection> }) => {
  const { store, router, bus, commands, players, bySession } = deps;
  /** Rows of the last check that name this node, though it has no such socket: orphaned sessions. */
  let rowsOfNobody = new Map<string, number>();

  const dismiss = (sessionId: string, name: 'replaced' | 'fenced'): void => {
    const connection = bySession.get(sessionId);
    if (connection?.fenced === true) connection.close(name);
  };

  /** Stops sending to the socket; its results still count. `cut`: its process has opened another socket. */
  const fence = (sessionId: string, cut: boolean): void => {
    const connection = bySession.get(sessionId);
    const session = connection?.session;
    if (connection === undefined || session === undefined || connection.fenced) return;
    if (router.find(session.projectId, session.serverId)?.id === sessionId) {
      commands.detach(session);
      router.detach(session);
    }
    connection.fenced = true;
    if (cut) return connection.terminate();
    // The other node reports how it ends. If that message is lost, the check ends it.
    connection.terminateAt = performance.now() + FENCED_FOR_MS;
  };

  /** Rows of sessions that name this node. */
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

  /** Ends session rows of bridges that left while the database was away. A bridge that connects now writes its row first. */
  const endRowsOfNobody = async (held: ReadonlyMap<string, HeldSession>): Promise<void> => {
    const suspects = [...held].filter(([, row]) => router.find(row.projectId, row.serverId)?.epoch !== row.epoch);
    const before = rowsOfNobody;
    rowsOfNobody = new Map(suspects.map(([address, { epoch }]) => [address, epoch]));
    for (const [address, row] of suspects) {
      if (before.get(address) !== row.epoch) continue;
      const ended = await store.sessions.close({ ...row, at: Date.now(), closeCode: GONE });
      if (ended !== undefined) await players.disconnected(row);
    }
  };

  return {
    fence,
    dismiss,
    /**
     * The newest socket wins. An earlier socket of another instance is closed for good only after the new one has sent a
     * frame, because the hello of a dead process may be read after that of its successor.
     */
    replaceHere: (incumbent: Session, newcomer: Connection, instance: string): void => {
      commands.detach(incumbent);
      const old = bySession.get(incumbent.id);
      if (old === undefined) return;
      old.fenced = true;
      if (incumbent.instance === instance) old.terminate();
      else newcomer.displaced = (name) => old.close(name);
    },
    /**
     * Ends a socket that another node holds. Resolves when its reports of players no longer count. A node that does not
     * answer holds nothing, by its rows.
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
    /** Closes sockets whose rows name another node, and ends orphaned sessions of this node. */
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
