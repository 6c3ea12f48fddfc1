import { isCommandName, LIMITS, playerParamOf } from '../../bridge-protocol/index.ts';
import { readAsking } from '../../db/queries/commands/asks.ts';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import { isSettled } from '../../db/schema/command-status.ts';
import type { Store } from '../../db/store.ts';
import type { Router, Session } from '../cluster/router.ts';
import type { Background } from '../platform/background.ts';
import { isExactlyOnce } from './catalogue.ts';
import { isUnwritten, type LiveCommand, type LiveCommands, wireIdOf } from './command.ts';
import type { Queues } from './queue.ts';
import type { Unsent } from './unsent.ts';

/**
 * The parameters in the frame: the player's own identifier, the protocol's word for `deduct`, and at most 512 UTF-16
 * units of the reason. REST counts characters, and 512 characters can have more units.
 */
const wireParams = ({ name, target, params: sent, roles }: CommandRow): CommandRow['params'] => {
  const whom = playerParamOf(roles);
  const params = target === null || sent[whom] === target ? sent : { ...sent, [whom]: target };
  if (!isCommandName(name)) return params;
  const { reason, action } = params;
  const isLong = typeof reason === 'string' && reason.length > LIMITS.reasonLength;
  if (!isLong && action !== 'deduct') return params;
  return {
    ...params,
    ...(action === 'deduct' && { action: 'remove' }),
    // Never between the halves of a surrogate pair.
    ...(isLong && { reason: reason.slice(0, LIMITS.reasonLength).replace(/[\ud800-\udbff]$/, '') }),
  };
};

/** The last step before the wire. The row is `dispatched`, durably, before the first byte of its frame is sent. */
export const createSend = ({
  store,
  router,
  live,
  background,
  announce,
  postponed,
  unsent,
  handOn,
  now,
}: {
  store: Pick<Store, 'commands'>;
  router: Router;
  live: LiveCommands;
  background: Background;
  announce: (row: CommandRow) => void;
  /** A command that may wait waits again. */
  postponed: (row: CommandRow) => void;
  unsent: Unsent;
  /** Tells the node that holds the bridge now; false: no other node holds it. */
  handOn: (address: { projectId: string; serverId: string }) => Promise<boolean>;
  now: () => number;
}) => {
  /** Sends a dispatched command. */
  const send = (session: Session, row: CommandRow, command: LiveCommand): void => {
    session.send({
      type: 'command',
      id: wireIdOf(row),
      name: row.name,
      params: wireParams(row),
      fingerprint: row.fingerprint,
      expiresAt: row.expiresAt,
      attempt: row.attempts,
    });
    command.dispatched = row;
    command.sentAt = performance.now();
  };

  /**
   * The socket closed between commit and send, so no byte was sent: another node that holds the bridge sends it, or it
   * is voided. If the next session has taken the row over, the compare-and-set finds nothing.
   */
  const voidUnsent = async (row: CommandRow, sessionId: string): Promise<void> => {
    // The next session may have sent it: then the place is that session's.
    if (live.find(row.id)?.sentAt === undefined) live.release(row.id);
    if (isExactlyOnce(row.name) && (await handOn(row))) return;
    const error = { code: 'bridge_offline', message: 'The bridge disconnected before the command was sent.' };
    const voided = await store.commands.voidUnsent({ id: row.id, sessionId, error, at: now() });
    if (voided !== undefined) return announce(voided);
    const back = await store.commands.postponeUnsent({ id: row.id, sessionId, at: now() });
    if (back !== undefined) return postponed(back);
    // The next session may have settled it before its caller began to wait.
    const latest = await store.commands.get(row.projectId, row.id);
    if (latest !== undefined && isSettled(latest.status)) live.wake(latest);
  };

  /** Inserts its row if that has not been done; false: that failed, and its callers have been told. */
  const keep = async (command: LiveCommand): Promise<boolean> => {
    const { draft } = command;
    if (draft === undefined) return true;
    return live.store(command, draft).then(
      () => true,
      () => false,
    );
  };

  /** Takes it out of the queue, and ends its row as expired unless something else has ended it. */
  const expire = async (command: LiveCommand): Promise<void> => {
    await keep(command);
    await unsent.expire(command.id);
    live.release(command.id);
  };

  /** The row of a command that an earlier try marked as dispatched and did not send, because the answer was lost. */
  const markedBefore = async (command: LiveCommand, session: Session): Promise<CommandRow | undefined> => {
    const row = await store.commands.get(command.projectId, command.id);
    if (row?.status !== 'dispatched' || row.epoch === null || readAsking(row) !== undefined) return undefined;
    if (row.sessionId === session.id) return row;
    if (!isExactlyOnce(row.name)) return undefined;
    return store.commands.redeliver({ id: row.id, from: row.epoch, epoch: session.epoch, sessionId: session.id });
  };

  /**
   * Marks the row as dispatched. A row that is found dispatched was sent already, unless an earlier try of this node had
   * no answer: a command is sent once for each attempt.
   */
  const mark = async (command: LiveCommand, session: Session): Promise<CommandRow | undefined> => {
    const { projectId, serverId, id, name, isMarkUnknown } = command;
    const { epoch, id: sessionId } = session;
    command.isMarkUnknown = true;
    const durable = isExactlyOnce(name);
    const marked = await store.commands.dispatch({ projectId, serverId, id, epoch, sessionId, at: now(), durable });
    const row = marked ?? (isMarkUnknown ? await markedBefore(command, session) : undefined);
    command.isMarkUnknown = false;
    return row;
  };

  const markOnce = async (command: LiveCommand, session: Session): Promise<CommandRow | undefined> => {
    const { draft, expiresAt } = command;
    const at = now();
    if (draft !== undefined && isUnwritten(command) && expiresAt > at) {
      const stored = await live.store(command, draft, { session, at });
      if ('inserted' in stored) return stored.inserted;
    }
    await keep(command);
    return mark(command, session);
  };

  /** A command that could not be sent: expires it, or leaves it to another node or to a later session of this node. */
  const giveBack = async (command: LiveCommand, queues: Queues): Promise<void> => {
    await expire(command);
    if (await handOn(command)) return;
    const row = await store.commands.get(command.projectId, command.id);
    if (row?.status === 'accepted' && !live.hasPlace(command.id)) queues.requeue(command);
  };

  /** The row, dispatched. Undefined: it expired between two sweeps, it was withdrawn, or its bridge has a later session. */
  const markOrGiveBack = async (
    command: LiveCommand,
    session: Session,
    queues: Queues,
  ): Promise<CommandRow | undefined> => {
    const row = await markOnce(command, session);
    if (row === undefined) await giveBack(command, queues);
    return row;
  };

  /** Sends a queued command that has a place in the window: `accepted` → `dispatched`, then the wire. */
  const sendInTurn = async (command: LiveCommand, queues: Queues): Promise<void> => {
    if (command.inserting !== undefined && !(await keep(command))) return live.release(command.id);
    const session = router.find(command.projectId, command.serverId);
    if (session?.isOpen() !== true || command.place !== 'in flight') return queues.requeue(command);
    const row = await markOrGiveBack(command, session, queues).catch((error: unknown) => {
      // The next sweep tries again.
      queues.requeue(command);
      throw error;
    });
    if (row === undefined) return;
    if (session.isOpen()) send(session, row, command);
    else await voidUnsent(row, session.id);
  };

  return {
    send,
    keep,
    expire,
    /** Sends a row that was inserted as dispatched in this session. */
    sendFirst: (session: Session, row: CommandRow, command: LiveCommand): void => {
      if (session.isOpen()) send(session, row, command);
      else background.run('void unsent', () => voidUnsent(row, session.id));
    },
    /** Starts sending a queued command that has a place in the window. */
    start: (command: LiveCommand, queues: Queues): void =>
      background.run('dispatch', () => sendInTurn(command, queues)),
  };
};
export type Send = ReturnType<typeof createSend>;
