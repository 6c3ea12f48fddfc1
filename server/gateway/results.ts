import type { Logger } from 'pino';
import type { Store } from '../../db/store.ts';
import type { Commands } from '../commands/commands.ts';
import type { ResultMessage } from '../commands/outcome.ts';
import type { Background } from '../platform/background.ts';
import { type Connection, sendAcks, wake } from './connection.ts';

const MAX_UNSETTLED = 1_024;
/** Largest number of stored outcomes without an acknowledgement. */
const ACKS_AT_MOST = 256;

/** Stores results of commands, then acknowledges them. Results that could not be stored are tried again. */
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
  /** Queues an acknowledgement for the next frame or sweep, and notes the journal's sequence. */
  const acknowledge = (connection: Connection, id: string, sequence: number | undefined): void => {
    if (sequence !== undefined && sequence > connection.journal.sequence) {
      connection.journal = { ...connection.journal, sequence, dirty: true };
    }
    connection.acks ??= [];
    connection.acks.push(id);
    if (connection.acks.length >= ACKS_AT_MOST) sendAcks(connection);
    else wake(connection);
  };

  /** Stores the highest sequence at each sweep and at the end; storing it with each result would double the writes. */
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
    /** Tries again to store the outcomes that failed. */
    retry: (connection: Connection): void => {
      for (const message of connection.unsettled?.values() ?? []) {
        background.run('result again', () => settle(connection, message));
      }
    },
  };
};
