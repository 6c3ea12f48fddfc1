import { type BridgeMessage, LIMITS, type MessageOf, PROTOCOL_VERSION } from '../../bridge-protocol/index.ts';
import type { CatalogueHead } from '../../db/queries/servers.ts';
import type { SessionRow } from '../../db/queries/sessions.ts';
import type { BusMessageOf } from '../cluster/bus.ts';
import { addressOf, type Session } from '../cluster/router.ts';
import type { GatewayDeps } from '../parts/parts.ts';
import { newId } from '../platform/ids.ts';
import { Newest } from '../platform/windows.ts';
import type { Connection } from './socket.ts';
import type { createTakeover } from './takeover.ts';

type Hello = MessageOf<BridgeMessage, 'hello'>;

const MAX_KNOWN = 256;

/** Abilities of bridges. Bridges with equal abilities share one object, which saves memory. */
const createAbilities = () => {
  const known = new Newest<Pick<Session, 'commands' | 'accounts' | 'classes'>>(MAX_KNOWN);
  return ({ commands, accounts, classes = {} }: Hello) => {
    const key = JSON.stringify([commands, accounts, classes]);
    const abilities = known.get(key) ?? { commands: new Set(commands), accounts, classes };
    known.set(key, abilities);
    return abilities;
  };
};

const WINDOW_MS = 60_000;
const REPLACEMENTS = 3;
/** The refused bridge may retry after this time. */
const LOOP_PAUSE_MS = 60_000;
const MAX_ADDRESSES = 10_000;

/**
 * Two machines with one token would replace each other without end: after three takeovers, the current one stays. The
 * times are exact, because two windows would let five takeovers pass within a minute.
 */
const createReplacementLoops = () => {
  const takeovers = new Newest<number[]>(MAX_ADDRESSES);
  const timesOf = (address: string): number[] => takeovers.get(address) ?? [];
  return {
    isLoop: (address: string): boolean =>
      timesOf(address).filter((at) => Date.now() - at < WINDOW_MS).length >= REPLACEMENTS,
    count: (address: string): void => {
      takeovers.set(address, [...timesOf(address).slice(1 - REPLACEMENTS), Date.now()]);
    },
  };
};

/** From `hello` to `welcome`: the newest socket of a server wins, and open commands come before new ones. */
export const createGreet = (
  deps: GatewayDeps & {
    /** Welcomed connections by session id. */
    bySession: Map<string, Connection>;
    takeover: ReturnType<typeof createTakeover>;
  },
) => {
  const { store, router, commands, players, events, background, tuning, bySession } = deps;
  const { takeover, membership, bus, log } = deps;
  const replacements = createReplacementLoops();
  const abilitiesOf = createAbilities();

  const refuseVersion = (connection: Connection, { protocol }: Hello): boolean => {
    if (protocol === PROTOCOL_VERSION) return false;
    connection.close('unsupported_version');
    return true;
  };

  /** Nodes announce each takeover to one another. */
  const refuseLoop = (connection: Connection, hello: Hello, last: SessionRow | undefined): boolean => {
    const { projectId, serverId } = connection;
    const address = addressOf(projectId, serverId);
    const isElsewhere = last?.connected === true && last.node !== router.node;
    const incumbent = router.find(projectId, serverId) ?? (isElsewhere ? last : undefined);
    if (incumbent === undefined || incumbent.instance === hello.instance) return false;
    if (replacements.isLoop(address)) {
      log.warn({ serverId: connection.serverId }, 'two game servers use the same token');
      connection.close('instances_fight', LOOP_PAUSE_MS);
      return true;
    }
    replacements.count(address);
    bus.spread({ type: 'turn', projectId, serverId });
    return false;
  };

  const openSession = async (connection: Connection, hello: Hello): Promise<Session> => {
    const { projectId, serverId } = connection;
    const at = Date.now();
    const id = newId('ses');
    const epoch = await store.sessions.open({
      projectId,
      serverId,
      id,
      node: router.node,
      instance: hello.instance,
      software: hello.software,
      commands: hello.commands,
      accounts: hello.accounts,
      journalClass: hello.journal.class,
      classes: hello.classes ?? null,
      at,
    });
    return {
      id,
      node: router.node,
      projectId,
      serverId,
      epoch,
      instance: hello.instance,
      journalClass: hello.journal.class,
      journalId: hello.journal.id,
      ...abilitiesOf(hello),
      connectedAt: at,
      announcesUntil: performance.now() + tuning.announcedWithinMs,
      offersUntil: 0,
      custom: undefined,
      announcement: undefined,
      isSynced: false,
      absent: new Set<string>(),
      state: { reportedAt: at },
      window: 0,
      isOpen: () => connection.isOpen && !connection.fenced && membership.isHeld(),
      send: (message) => {
        if (message.type === 'command') connection.tellStepBack();
        connection.send(message);
      },
    };
  };

  const welcome = (
    connection: Connection,
    session: Session,
    window: number,
    catalogues: readonly CatalogueHead[],
  ): void =>
    connection.send({
      type: 'welcome',
      session: session.id,
      server: session.serverId,
      epoch: session.epoch,
      now: Date.now(),
      ping: { everyMs: tuning.pingEveryMs, timeoutMs: tuning.pingTimeoutMs },
      limits: { frameBytes: LIMITS.frameBytes, inFlight: window },
      ...(catalogues.length > 0 && {
        catalogues: Object.fromEntries(catalogues.map(({ kind, hash }) => [kind, hash])),
      }),
    });

  /** Writes the session's row, attaches it to the router, and returns the session it replaced. Undefined: it is closed. */
  const arrive = async (connection: Connection, hello: Hello) => {
    const { projectId, serverId } = connection;
    const session = await openSession(connection, hello);
    if (!connection.isOpen) {
      const { epoch } = session;
      await store.sessions.close({ projectId, serverId, epoch, at: Date.now(), closeCode: 1006 });
      return undefined;
    }
    const incumbent = router.find(projectId, serverId);
    if (incumbent !== undefined && incumbent.epoch > session.epoch) {
      connection.close('fenced');
      return undefined;
    }
    connection.session = session;
    connection.sync = players.openSync();
    connection.journal = { id: hello.journal.id, sequence: hello.journal.sequence, dirty: false };
    bySession.set(session.id, connection);
    router.attach(session);
    return { session, incumbent };
  };

  const greet = async (connection: Connection, hello: Hello): Promise<void> => {
    if (refuseVersion(connection, hello)) return;
    const { projectId, serverId } = connection;
    const [known, last, catalogues] = await Promise.all([
      store.servers.get(projectId, serverId),
      store.sessions.get(projectId, serverId),
      store.catalogues.heads(projectId, serverId),
    ]);
    if (known === undefined || known.deletingAt !== null) return connection.close('deleted');
    // The first bridge of this server: waiting commands belong to a deleted server of the same id.
    if (known.journalId === null) await commands.takeBackOlder(known);
    if (refuseLoop(connection, hello, last)) return;
    const arrived = await router.arrive(projectId, serverId, () => arrive(connection, hello));
    if (arrived === undefined) return;
    const { session, incumbent } = arrived;
    const sameInstance = last?.instance === hello.instance;
    const window = Math.min(hello.limits.inFlight, LIMITS.inFlight);
    if (incumbent !== undefined) takeover.replaceHere(incumbent, connection, hello.instance);
    // The node need not be alive: the message is a hint, and the row has the same fact.
    if (last?.connected === true && last.node !== router.node) {
      await takeover.replaceThere(last, connection, hello.instance);
      if (!connection.isOpen) return;
    }
    welcome(connection, session, window, catalogues);
    // It keeps the offsets of its last connection, and the hub's clock may have been set back since.
    connection.tellClock();
    const welcomedAt = performance.now();
    session.announcesUntil = welcomedAt + tuning.announcedWithinMs;
    session.offersUntil = welcomedAt + tuning.offeredWithinMs;
    connection.phase = 'welcomed';
    // Jitter the first heartbeat, so that bridges welcomed together are not pinged together.
    connection.lastPingAt -= Math.random() * tuning.pingEveryMs;
    connection.socket.resume();
    events.publish(projectId, {
      type: 'bridge.connected',
      serverId,
      data: { software: hello.software },
    });
    log.info({ project: connection.projectSlug, serverId, epoch: session.epoch }, 'bridge welcomed');
    if (!sameInstance) background.run('players of a replaced bridge', () => players.replaced(session));
    await commands.attach(session, { window, journal: hello.journal, known, sameInstance });
    const { id: journalId, sequence } = connection.journal;
    // Results may have arrived while the journal of the hello was being recorded.
    if (sequence > hello.journal.sequence) {
      await store.servers.raiseJournal(projectId, serverId, { journalId, sequence });
    }
  };

  return {
    greet,
    /** Counts a takeover that another node announced. */
    countReplacement: ({ projectId, serverId }: BusMessageOf<'turn'>): void =>
      replacements.count(addressOf(projectId, serverId)),
  };
};
