import { encode, rereadBridgeMessage } from '../wire/codec.ts';
import { LIMITS, PROTOCOL_VERSION } from '../wire/limits.ts';
import type { BridgeMessage, MessageOf } from '../wire/messages.ts';
import { createDialer } from './dialer.ts';
import { Executor } from './executor.ts';
import { type Handlers, handlersOf } from './handlers.ts';
import { type Bridge, type BridgeOptions, type BridgeState, type BridgeTimings, DEFAULT_TIMINGS } from './options.ts';
import { createSession } from './session.ts';

type Hello = MessageOf<BridgeMessage, 'hello'>;

/**
 * Makes the `hello` of this bridge. The state of the journal is read anew for each connection.
 * @throws ProtocolError when the hub would refuse the options
 */
const createHello = (
  { software, journal, accounts, instance = globalThis.crypto.randomUUID() }: BridgeOptions,
  { tags, classes }: Pick<Handlers, 'tags' | 'classes'>,
) => {
  const hello = (open: Hello['open']): Hello => ({
    type: 'hello',
    protocol: PROTOCOL_VERSION,
    instance,
    software,
    commands: tags,
    accounts: [...accounts],
    journal: { class: journal.class, id: journal.id, sequence: journal.openedAt },
    ...(Object.keys(classes).length === 0 ? {} : { classes }),
    open,
    limits: { inFlight: LIMITS.inFlight },
  });

  rereadBridgeMessage(encode(hello([])));

  return (): Hello => {
    const open = journal.open().slice(0, LIMITS.openCommands);
    return hello(open.map(({ id, status }) => ({ id, status })));
  };
};

export type {
  Bridge,
  BridgeOptions,
  BridgeSocket,
  BridgeState,
  BridgeTimings,
  CataloguesSource,
  CommandHandler,
  CommandHandlers,
  OpenSocket,
  PlayersChange,
  PlayersSource,
  SocketEvents,
} from './options.ts';

const FINISH_WITHIN_MS = 5_000;
const FAREWELL_MS = 1_000;

/**
 * The reference bridge: keeps one game server connected to its hub, carries commands out at most once and reports
 * players. It takes any socket and any journal.
 * @throws ProtocolError or Error when a hub would refuse the options
 */
export const createBridge = (options: BridgeOptions): Bridge => {
  const { journal, openSocket, now = Date.now, random = Math.random, log = () => {} } = options;
  const timings: BridgeTimings = { ...DEFAULT_TIMINGS, ...options.timings };
  const handlers = handlersOf(options.commands, options);
  const hello = createHello(options, handlers);
  let state: BridgeState = 'idle';
  let stopping: Promise<void> | undefined;

  const enter = (next: BridgeState, detail: string): void => {
    state = next;
    try {
      options.onState?.(next, detail);
    } catch (error) {
      log('error', `onState failed: ${String(error)}`);
    }
  };

  const { receivedWithinMs, statusEveryMs } = timings;
  const send = (message: BridgeMessage): void => {
    dialer.session()?.connection.send(message);
  };
  const executor = new Executor({ journal, handlers, receivedWithinMs, now, send, log });

  const dialer = createDialer({
    openSocket,
    timings,
    now,
    random,
    log,
    hello,
    openSession: (connection, welcome, onDrain) => {
      executor.heard(welcome.now);
      return createSession({ connection, welcome, options, executor, now, statusEveryMs, onDrain, log });
    },
    onState: enter,
    onLeave: () => executor.tasks.leave(),
  });

  const reportStatus = (): void => dialer.session()?.reportStatus();

  const stopOnce = async (reason: string): Promise<void> => {
    dialer.close();
    executor.isDraining = true;
    reportStatus();
    // The hub closes when it reads `bye`, so results go first.
    await executor.tasks.idle(FINISH_WITHIN_MS);
    dialer.session()?.connection.sendLast({ type: 'bye', reason: reason.slice(0, 512) });
    await dialer.ended(FAREWELL_MS);
    dialer.cut();
    executor.tasks.close();
    enter('stopped', reason);
  };

  return {
    start: (): void => {
      if (state !== 'idle' || stopping !== undefined) return;
      executor.recover();
      dialer.open();
    },
    stop: (reason = 'The game server stops.'): Promise<void> => {
      stopping ??= stopOnce(reason);
      return stopping;
    },
    changed: (change): void => dialer.session()?.changed(change),
    cataloguesChanged: (): void => dialer.session()?.cataloguesChanged(),
    reportStatus,
    draining: (on): void => {
      executor.isDraining = on || stopping !== undefined;
      reportStatus();
    },
    get state() {
      return state;
    },
    get session() {
      const { session: id, epoch, server } = dialer.session()?.welcome ?? {};
      return id === undefined || epoch === undefined ? undefined : { id, epoch, server };
    },
    get inHand() {
      return executor.tasks.size;
    },
  };
};
