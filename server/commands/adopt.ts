import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { Store } from '../../db/store.ts';
import type { BusMessageOf } from '../cluster/bus.ts';
import type { Router, Session } from '../cluster/router.ts';
import type { CommandSource, LiveCommands } from './command.ts';
import type { Queues } from './queue.ts';
import type { Taken } from './remote.ts';
import type { Send } from './send.ts';

/** Takes commands that other nodes accepted for bridges of this node: on request, or found in the rows. */
export const createAdopt = ({
  store,
  router,
  live,
  queues,
  send,
  resume,
}: {
  store: Pick<Store, 'commands'>;
  router: Router;
  live: LiveCommands;
  queues: Queues;
  send: Send;
  resume: (session: Session, row: CommandRow) => Promise<void>;
}) => {
  /** The session of a bridge whose earlier commands have been reconciled. */
  const openSession = (projectId: string, serverId: string): Session | undefined => {
    const session = router.find(projectId, serverId);
    return session?.isOpen() === true && session.window > 0 ? session : undefined;
  };

  const take = (source: CommandSource, asker?: string): Taken => {
    if (live.hasPlace(source.id)) return 'taken';
    const command = live.open(source, { asker });
    const place = queues.queueOf(source).admit(command, { direct: true });
    if (place === 'in flight') send.start(command, queues);
    if (place !== 'busy') return 'taken';
    live.forgetIfIdle(command);
    return 'busy';
  };

  const look = async (): Promise<void> => {
    const { accepted, leftBehind } = await store.commands.waitingFor(router.node);
    for (const row of accepted) if (openSession(row.projectId, row.serverId) !== undefined) take(row);
    for (const row of leftBehind) {
      const session = openSession(row.projectId, row.serverId);
      if (session !== undefined && !live.hasPlace(row.id)) await resume(session, row);
    }
  };
  let looking: Promise<void> | undefined;
  let isAskedAgain = false;
  const lookUntilNobodyAsks = async (): Promise<void> => {
    do {
      isAskedAgain = false;
      await look();
    } while (isAskedAgain);
  };

  return {
    /** Takes one command. The message has what the queue needs; the row is read when the command is sent. */
    run: async (message: BusMessageOf<'run'>): Promise<Taken> => {
      const { projectId, serverId, id, name, target, deadline, asker } = message;
      const session = router.find(projectId, serverId) ?? (await router.arrived(projectId, serverId));
      if (session?.isOpen() !== true) return 'gone';
      if (session.state.draining === true) return 'restarting';
      return take({ projectId, serverId, id, name, target, expiresAt: deadline }, asker);
    },
    /** Takes commands whose message got lost, or for which none was sent, from their rows. One read at a time. */
    pickUp: (): Promise<void> => {
      isAskedAgain = true;
      looking ??= lookUntilNobodyAsks().finally(() => {
        looking = undefined;
      });
      return looking;
    },
  };
};
