import { COMMANDS, type CommandName, isCommandName, LIMITS } from '../../bridge-protocol/index.ts';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { Store } from '../../db/store.ts';
import type { Router, Session } from '../cluster/router.ts';
import type { Background } from '../platform/background.ts';
import type { HandOn } from './hand-on.ts';
import type { Entry, Lanes } from './lanes.ts';

/** Whether a command must survive everything: journaled on both sides, written durably. */
export const isExactlyOnce = (name: string): boolean =>
  !isCommandName(name) || COMMANDS[name as CommandName].class === 'exactly-once';

/** A new row that is sent at once. */
export const dispatchedNow = ({ id, epoch }: Session, at: number) =>
  ({ status: 'dispatched', attempts: 1, dispatchedAt: at, sessionId: id, epoch }) as const;

/**
 * What the bridge is told: the player's own identifier, the protocol's word for `deduct`, and at most 512 UTF-16 units
 * of the reason. A reason of 512 characters may have more, and the protocol refuses it then.
 */
const wireParams = ({ name, target, params: sent }: CommandRow): CommandRow['params'] => {
  const params = target === null || sent['target'] === target ? sent : { ...sent, target };
  if (!isCommandName(name)) return params;
  const { reason, action } = params;
  const isLong = typeof reason === 'string' && reason.length > LIMITS.reasonLength;
  if (!isLong && action !== 'deduct') return params;
  return {
    ...params,
    ...(action === 'deduct' && { action: 'remove' }),
    // Not between the halves of a surrogate pair.
    ...(isLong && { reason: reason.slice(0, LIMITS.reasonLength).replace(/[\ud800-\udbff]$/, '') }),
  };
};

/** The last step before the wire. The row says `dispatched`, durably, before any byte of a frame leaves. */
export const createDispatch = ({
  store,
  router,
  background,
  announce,
  handOn,
  now,
}: {
  store: Pick<Store, 'commands'>;
  router: Router;
  background: Background;
  announce: (row: CommandRow) => void;
  handOn: HandOn;
  now: () => number;
}) => {
  /** Sends a dispatched command. */
  const deliver = (session: Session, row: CommandRow, entry: Entry): void => {
    session.send({
      type: 'command',
      id: row.id,
      name: row.name,
      params: wireParams(row),
      fingerprint: row.fingerprint,
      expiresAt: row.expiresAt,
      attempt: row.attempts,
    });
    entry.dispatched = row;
    entry.queue?.sent(row.id, performance.now());
  };

  /**
   * The socket went between commit and send, so no byte left: another node that holds the bridge sends it, or it is taken
   * back, unless the next session has already taken the row over (it then carries that session's id, and the
   * compare-and-set finds nothing).
   */
  const takeBack = async (row: CommandRow, sessionId: string, lanes: Lanes): Promise<void> => {
    lanes.release(row.id);
    if (isExactlyOnce(row.name) && (await handOn(row))) return;
    const error = { code: 'bridge_offline', message: 'The bridge disconnected before the command was sent.' };
    const voided = await store.commands.voidUnsent({ id: row.id, sessionId, error, at: now() });
    if (voided !== undefined) announce(voided);
  };

  /** Writes what is only in a queue yet; false: that failed, and whoever asked for it has been told. */
  const keep = async ({ slip }: Pick<Entry, 'slip'>): Promise<boolean> =>
    slip === undefined ||
    slip.stored().then(
      () => true,
      () => false,
    );

  /** Out of the queue; expired, if its time is over and nothing else has ended it. */
  const expire = async (entry: Pick<Entry, 'id'> & Partial<Pick<Entry, 'slip'>>, lanes: Lanes): Promise<void> => {
    await keep({ slip: entry.slip });
    const expired = await store.commands.expire(entry.id, now());
    lanes.release(entry.id);
    if (expired !== undefined) announce(expired);
  };

  const mark = (entry: Entry, session: Session): Promise<CommandRow | undefined> =>
    store.commands.dispatch({
      projectId: entry.projectId,
      serverId: entry.serverId,
      id: entry.id,
      epoch: session.epoch,
      sessionId: session.id,
      at: now(),
      durable: isExactlyOnce(entry.name),
    });

  /** As an attempt marked it whose answer was lost, so that it was not sent: for this session, or for one before it. */
  const markedBefore = async (entry: Entry, session: Session): Promise<CommandRow | undefined> => {
    const row = await store.commands.get(entry.projectId, entry.id);
    if (row?.status !== 'dispatched' || row.epoch === null) return undefined;
    if (row.sessionId === session.id) return row;
    if (!isExactlyOnce(row.name)) return undefined;
    return store.commands.redeliver({ id: row.id, from: row.epoch, epoch: session.epoch, sessionId: session.id });
  };

  /** The row, dispatched. Undefined: its time ran out between two sweeps, somebody took it back, or its bridge has gone. */
  const markOrExpire = async (entry: Entry, session: Session, lanes: Lanes): Promise<CommandRow | undefined> => {
    const { slip, expiresAt } = entry;
    const at = now();
    if (slip?.isBegun() === false && expiresAt > at) {
      const stored = await slip.storeAs(dispatchedNow(session, at));
      if ('inserted' in stored) return stored.inserted;
    }
    await keep(entry);
    const row = (await mark(entry, session)) ?? (await markedBefore(entry, session));
    if (row === undefined) {
      await expire(entry, lanes);
      await handOn(entry);
    }
    return row;
  };

  return {
    deliver,
    keep,
    expire,
    /** Sends a row that was committed as dispatched for this session. */
    deliverFirst: (session: Session, row: CommandRow, entry: Entry, lanes: Lanes): void => {
      if (session.isOpen()) deliver(session, row, entry);
      else background.run('take back', () => takeBack(row, session.id, lanes));
    },
    /** A queued command's turn has come: accepted → dispatched, then the wire. */
    start: (entry: Entry, lanes: Lanes): void =>
      background.run('dispatch', async () => {
        if (entry.slip?.isBegun() === true && !(await keep(entry))) return lanes.release(entry.id);
        const session = router.find(entry.projectId, entry.serverId);
        if (session?.isOpen() !== true || !lanes.isFlying(entry)) return lanes.requeue(entry);
        const row = await markOrExpire(entry, session, lanes).catch((error: unknown) => {
          // Its turn comes again with the next sweep.
          lanes.requeue(entry);
          throw error;
        });
        if (row === undefined) return;
        if (session.isOpen()) deliver(session, row, entry);
        else await takeBack(row, session.id, lanes);
      }),
  };
};
export type Dispatch = ReturnType<typeof createDispatch>;
