import type { Logger } from 'pino';
import type { Store } from '../../db/store.ts';
import type { Commands } from '../commands/commands.ts';
import type { ResultMessage } from '../commands/settle.ts';
import type { Background } from '../platform/background.ts';
import { type Connection, sendAcks, wake } from './connection.ts';

const MAX_UNSETTLED = 1_024;
/** So many outcomes may be open at the bridge only because nobody has told it yet. */
const ACKS_AT_MOST = 256;

/** Results of commands: made durable first, then acknowledged; what the database did not take is tried again. */
export const createResults = ({
  store,
  commands,
  background,
  log,
}: {
  store: Pick<Store, 'servers'>;
  commands: Pick<Commands, 'settle'>;
  background: Background;
  log: Logger;
}) => {
  /** Nobody waits for it: it goes with the next frame to the bridge, or with the sweep. The journal's sequence is noted. */
  const acknowledge = (connection: Connection, id: string, sequence: number | undefined): void => {
    if (sequence !== undefined && sequence > connection.journal.sequence) {
      connection.journal = { ...connection.journal, sequence, dirty: true };
    }
    connection.acks ??= [];
    connection.acks.push(id);
    if (connection.acks.length >= ACKS_AT_MOST) sendAcks(connection);
    else wake(connection);
  };

  /** Stores the highest sequence seen, with every sweep and at the end: with every result it would be a write more. */
  const saveJournal = (connection: Connection): void => {
    const { projectId, serverId, journal } = connection;
    if (!journal.dirty) return;
    connection.journal = { ...journal, dirty: false };
    const { id: journalId, sequence } = journal;
    background.run('journal sequence', async () => {
      try {
        await store.servers.raiseJournal(projectId, serverId, { journalId, sequence });
      } catch (error) {
        connection.journal = { ...connection.journal, dirty: true };
        wake(connection);
        throw error;
      }
    });
  };

  const settle = async (connection: Connection, message: ResultMessage): Promise<void> => {
    const { session } = connection;
    if (session === undefined) return;
    try {
      await commands.settle(session, message);
      connection.unsettled?.delete(message.id);
    } catch (error) {
      log.error({ err: error, commandId: message.id }, 'an outcome could not be stored; trying again');
      connection.unsettled ??= new Map();
      if (connection.unsettled.size < MAX_UNSETTLED) connection.unsettled.set(message.id, message);
      wake(connection);
      return;
    }
    acknowledge(connection, message.id, message.sequence);
  };

  return {
    settle,
    saveJournal,
    /** Tries the outcomes again that the database did not take. */
    retry: (connection: Connection): void => {
      for (const message of connection.unsettled?.values() ?? []) {
        background.run('result again', () => settle(connection, message));
      }
    },
  };
};
