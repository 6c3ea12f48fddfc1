import { LIMITS } from '../wire/limits.ts';
import type { HubMessage, MessageOf } from '../wire/messages.ts';
import { playerItem, recordFrame } from '../wire/player-frames.ts';
import { createCatalogueSync } from './catalogues.ts';
import type { Connection } from './connection.ts';
import type { Executor, HubClock } from './executor.ts';
import type { BridgeOptions, Log, PlayersChange, PlayersSource } from './options.ts';
import { createPlayerSync } from './player-sync.ts';

/** Answers a question for one player: with the record, or with the reason why there is none. */
const answerRead = async (
  { id, identifier }: MessageOf<HubMessage, 'players.read'>,
  {
    connection,
    source,
    frameBytes,
    log,
  }: { connection: Connection; source: PlayersSource | undefined; frameBytes: number; log: Log },
): Promise<void> => {
  const fail = (code: string, message: string): boolean =>
    connection.send({ type: 'players.record', id, error: { code, message } });
  if (source?.read === undefined) {
    fail('unsupported', 'This bridge does not read single players.');
    return;
  }
  try {
    const player = await source.read(identifier);
    if (player === undefined) {
      // Only a source with every player of the game can tell that a player is not there any more.
      const code = source.complete?.() === true ? 'player_not_found' : 'unsupported';
      fail(code, `This bridge does not know the player ${identifier}.`);
      return;
    }
    const item = playerItem(player, frameBytes);
    if ('problem' in item) log('warn', `The record of ${identifier} is not sent: ${item.problem}`);
    if ('problem' in item || !connection.sendFrame(recordFrame(id, item))) {
      fail('internal_error', 'The record does not fit into a frame.');
    }
  } catch (error) {
    log('error', `The player ${identifier} could not be read: ${String(error)}`);
    fail('internal_error', 'The record could not be read.');
  }
};

/** One welcomed connection: handles the hub's frames, and sends the bridge's own reports. */
export const createSession = ({
  connection,
  welcome,
  options,
  executor,
  clock,
  now,
  statusEveryMs,
  onDrain,
  log,
}: {
  connection: Connection;
  welcome: MessageOf<HubMessage, 'welcome'>;
  options: Pick<BridgeOptions, 'players' | 'status' | 'custom' | 'catalogues'>;
  executor: Executor;
  clock: HubClock;
  now: () => number;
  statusEveryMs: number;
  onDrain: (withinMs: number) => void;
  log: Log;
}) => {
  const { players: source, custom } = options;
  const frameBytes = Math.min(LIMITS.frameBytes, welcome.limits.frameBytes);
  const sync = createPlayerSync({ connection, source, frameBytes, log });
  const catalogues = createCatalogueSync({ connection, source: options.catalogues, known: welcome.catalogues, log });
  let statusTimer: ReturnType<typeof setInterval> | undefined;

  const reportStatus = (): void => {
    try {
      connection.send({ type: 'status', ...options.status?.(), draining: executor.isDraining() });
    } catch (error) {
      log('error', `The status could not be read: ${String(error)}`);
    }
  };

  const background = (what: string, work: Promise<void>): void => {
    work.catch((error: unknown) => log('error', `${what}: ${String(error)}`));
  };

  const announce = (): void => {
    if (custom !== undefined) connection.send(custom.announcement());
  };
  const stopAnnouncing = custom?.onChange(announce);

  const begin = async (): Promise<void> => {
    // Sent before slow work: the hub refuses custom commands until it knows them.
    if (custom !== undefined && custom.size() > 0) announce();
    for (const message of executor.openResults()) {
      if (connection.isFull() && !(await connection.writable())) return;
      connection.send(message);
    }
    reportStatus();
    await catalogues.send();
    sync.snapshot();
  };

  const receive = (message: HubMessage): void => {
    switch (message.type) {
      case 'command':
        executor.command(message);
        break;
      case 'void':
        executor.void(message.id);
        break;
      case 'ack':
        background('ack', executor.acknowledge(message.ids));
        break;
      case 'ping':
        clock.heard(message.now);
        connection.send({ type: 'pong', n: message.n, now: now() });
        break;
      case 'players.resync':
        sync.snapshot();
        break;
      case 'players.read':
        background('players.read', answerRead(message, { connection, source, frameBytes, log }));
        break;
      case 'drain':
        onDrain(message.withinMs);
        break;
      case 'error':
        log('warn', `The hub complains about ${message.re ?? 'a frame'}: ${message.code}: ${message.message}`);
        break;
      case 'welcome':
        break;
      default:
        message satisfies never;
    }
  };

  return {
    connection,
    id: welcome.session,
    epoch: welcome.epoch,
    server: welcome.server,
    since: now(),
    receive,
    /** Sends the unacknowledged results, the status, catalogues that the hub does not have, and then the players. */
    begin: (): void => {
      statusTimer = setInterval(reportStatus, statusEveryMs);
      background('welcome', begin());
    },
    reportStatus,
    cataloguesChanged: (): void => background('catalogues', catalogues.send()),
    changed: (change: PlayersChange): void => sync.changed(change),
    close: (): void => {
      clearInterval(statusTimer);
      stopAnnouncing?.();
      sync.close();
    },
  };
};
export type Session = ReturnType<typeof createSession>;
