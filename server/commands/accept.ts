import { bytesOf, type CommandRow } from '../../db/queries/commands/read.ts';
import type { Inserted } from '../../db/queries/commands/transitions.ts';
import type { Store } from '../../db/store.ts';
import type { InTurn } from '../../db/turns.ts';
import { bridgeOf, type Router } from '../cluster/router.ts';
import { HubError, invalidField } from '../platform/errors.ts';
import { assertCapable, type CommandRequest, isCatalogued, isStillExpected, targetOf, type Wish } from './catalogue.ts';
import type { Reach } from './elsewhere.ts';
import type { LiveCommands } from './queue.ts';
import type { Run } from './run.ts';
import { draftOf } from './submit.ts';
import type { Waiting } from './waiting.ts';

/** How many commands may wait for one player, and for one server. A project has a bound of its own. */
export const MAX_WAITING = { player: 100, server: 10_000 };
/** How many bytes the parameters of all waiting commands of a project may take. */
const MAX_WAITING_BYTES = 256 * 1024 * 1024;

type Full = NonNullable<HubError['extras']['waiting']>;
export const waitingFull = (waiting: Full, detail: string): HubError =>
  new HubError('waiting_full', detail, { waiting, retryAfterS: 60 });

/** The project has no room for parameters of this size; undefined: it has. */
export const fullOfBytes = (waiting: number, added: number): HubError | undefined =>
  waiting + added <= MAX_WAITING_BYTES
    ? undefined
    : waitingFull(
        { of: 'bytes', most: MAX_WAITING_BYTES },
        'The parameters of all waiting commands of the project may take 256 MiB, and these do not fit.',
      );

/** The server exists, and its bridge can do it, or could when it was last connected. @throws HubError */
export const createServerCheck =
  ({ store, router }: { store: Pick<Store, 'servers' | 'sessions'>; router: Router }) =>
  async (request: Wish & Pick<CommandRequest, 'project' | 'serverId'>): Promise<void> => {
    const { project, serverId } = request;
    const server = await store.servers.get(project.id, serverId);
    if (server === undefined || server.deletingAt !== null) throw new HubError('server_not_found');
    if (server.disabled) throw new HubError('server_disabled');
    const session = router.find(project.id, serverId);
    const row = session === undefined ? await store.sessions.get(project.id, serverId) : undefined;
    const bridge = session ?? (row && bridgeOf(row));
    if (bridge === undefined) {
      throw new HubError('bridge_offline', 'No bridge of this server has ever connected: connect one first.', {
        retryAfterS: 5,
      });
    }
    // Custom commands are known only while their server is connected; they are checked again when they leave.
    const isExpected = session !== undefined && isStillExpected(session, request);
    if (isCatalogued(request) || (bridge.custom !== undefined && !isExpected)) {
      assertCapable({ ...bridge, state: {} }, request, project);
    }
  };

/** Stores commands that wait for their server or their player. */
export const createAccept = ({
  store,
  router,
  live,
  waiting,
  asked,
  inTurn,
  now,
}: {
  store: Pick<Store, 'commands' | 'batches' | 'servers' | 'sessions' | 'players'>;
  router: Router;
  live: LiveCommands;
  waiting: Pick<Waiting, 'added'>;
  /** A command became one to ask about. */
  asked: Run['asked'];
  /** Requests of one project are counted and stored one after another, so that none slips past a bound. */
  inTurn: InTurn;
  now: () => number;
}) => {
  const assertServer = createServerCheck({ store, router });

  const isPlayerKnown = async ({ project, serverId, player, deliver, ...wish }: CommandRequest): Promise<boolean> => {
    const target = player ?? targetOf(wish);
    if (target === undefined && deliver !== 'when_online') return true;
    if (target === undefined) {
      throw invalidField('/deliver', 'must be now or when_connected: the hub knows no player of this command');
    }
    return (await store.players.meant(project.id, serverId, target)) === 'own';
  };

  /** @throws HubError player_not_found; not if a restored backup may have forgotten the player: then the bridge is asked. */
  const draftFor = async (request: CommandRequest): Promise<CommandRow> => {
    const draft = draftOf(request, undefined, now());
    if (await isPlayerKnown(request)) return draft;
    if (!live.mayBeForgotten(draft)) throw new HubError('player_not_found');
    return {
      ...draft,
      status: 'rejected',
      error: { code: 'player_not_found', message: 'The hub knows no such player.' },
    };
  };

  /** The bound that leaves no room for this command; undefined: there is room. */
  const fullOf = async (
    { project }: CommandRequest,
    { projectId, serverId, target, params }: CommandRow,
  ): Promise<HubError | undefined> => {
    const most = { ...MAX_WAITING, project: project.maxWaiting };
    const rows = await store.commands.waitingCounts({ projectId, serverId }, target, most);
    // Commands of batches that are not rows yet have their places already.
    const { unwritten, unwrittenBytes } = await store.batches.openOf(projectId);
    const counts = { ...rows, project: rows.project + unwritten };
    for (const scope of ['player', 'server', 'project'] as const) {
      if (counts[scope] < most[scope] || (scope === 'player' && target === null)) continue;
      return waitingFull(
        { of: scope, most: most[scope] },
        `${most[scope]} commands wait for this ${scope}, and no more may.`,
      );
    }
    return fullOfBytes(rows.bytes + unwrittenBytes, bytesOf(params));
  };

  /** `isLeaving`: its server and its player are here. */
  return async (request: CommandRequest): Promise<Inserted & { isLeaving: boolean }> => {
    await assertServer(request);
    const draft = await draftFor(request);
    const stored = await inTurn(draft.projectId, async () => {
      const full = await fullOf(request, draft);
      if (full === undefined) return live.insert(draft);
      // A request with the same key may have stored it meanwhile.
      const existing = await store.commands.get(draft.projectId, draft.id);
      if (existing === undefined) throw full;
      return { row: existing, isNew: false };
    });
    const { row, isNew } = stored;
    if (!isNew) return { row, isNew, isLeaving: false };
    if (row.status === 'waiting') return { row, isNew, isLeaving: await waiting.added(row) };
    asked([row]);
    return { row, isNew, isLeaving: true };
  };
};

/** Checks a command as a submission would, and sends nothing. */
export const createAssertPossible = ({
  store,
  router,
  reach,
}: {
  store: Pick<Store, 'servers' | 'sessions'>;
  router: Router;
  reach: Reach;
}) => {
  const assertServer = createServerCheck({ store, router });

  /** @throws HubError the server is away, or cannot run this command now */
  return async (wish: Wish & Pick<CommandRequest, 'project' | 'serverId'>): Promise<void> => {
    const { project, serverId } = wish;
    const bridge = await reach.find({ projectId: project.id, serverId }, { custom: !isCatalogued(wish) });
    if (bridge !== undefined) return assertCapable(bridge, wish, project);
    // A command that the bridge could not do when it was last connected would be refused, not wait.
    await assertServer(wish);
    throw new HubError('bridge_offline');
  };
};
