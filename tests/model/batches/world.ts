import type { Database } from '../../../db/database.ts';
import type { BatchRow } from '../../../db/queries/commands/batches.ts';
import type { ProjectRow } from '../../../db/queries/projects.ts';
import { createStore, type Store } from '../../../db/store.ts';
import { createExchange } from '../../../server/cluster/bus.ts';
import type { Session } from '../../../server/cluster/router.ts';
import { HubError } from '../../../server/platform/errors.ts';
import { playerOf, projectOf, serverOf } from '../../kit/databases.ts';
import { AMOUNT, createGame } from './game.ts';
import { type Node, startNode } from './node.ts';

export const PROJECT = 'p';
export const SERVER = 'main';
/** An own identifier, a linked one of Bob, and one that no player has. */
export const TARGETS = ['char1:ana', 'discord:bob', 'char1:cem', 'char1:nobody', 'char1:dea', 'char1:bob'] as const;
/** Players who may have the linked identifier; the first of them has it at first. */
const LINKED = ['char1:bob', 'char1:eve'] as const;
const OWN = ['char1:ana', 'char1:cem', 'char1:dea', ...LINKED] as const;
const LIFE_S = 3_600;

/** Requests of callers, and faults: each may happen at any moment. */
export type Fault = 'request' | 'void' | 'fail' | 'lose answer' | 'kill' | 'stall' | 'hang up' | 'relink';
export type Config = {
  nodes: 1 | 2;
  deliver: 'now' | 'when_connected' | 'when_online';
  /** Whether the batch ends itself when commands have no effect. */
  aborts: boolean;
  /** How many of TARGETS it has, all of them listed twice. */
  targets: number;
  /** How often each may happen on one walk. */
  faults: Partial<Record<Fault, number>>;
};

export const KEYS = ['gift', 'other gift'] as const;
/** An answer to a request: the batch that it made or found, or the code of an error. */
type Answer = { key: string; isOther: boolean; batch?: BatchRow; isReplayed?: boolean; code?: string };

export const openWorld = async (database: Database, config: Config, mutate: (store: Store) => Store) => {
  const store = createStore(database);
  const exchange = createExchange();
  const game = createGame();
  const clock = { ms: 1_000_000 };
  const now = (): number => clock.ms;
  const nodes: (Node | undefined)[] = [];
  const answers: Answer[] = [];
  /** Batches that were taken back, with the rounds that had left by then. */
  const takenBack = new Map<string, ReadonlySet<string>>();
  const settledEvents = new Map<string, number>();
  let started = 0;
  let sessions = 0;
  let linkedTo = 0;

  await store.projects.create(projectOf(PROJECT));
  await store.servers.create(serverOf(PROJECT, SERVER));
  await store.servers.recordJournal(PROJECT, SERVER, { journalId: 'journal', sequence: 0, instance: 'one' });
  const project = (await store.projects.byId(PROJECT)) as ProjectRow;

  const players = () =>
    OWN.map((identifier) =>
      playerOf(identifier, { identifiers: identifier === LINKED[linkedTo % LINKED.length] ? ['discord:bob'] : [] }),
    );
  const writePlayers = () => store.players.upsert(PROJECT, SERVER, players(), now());

  const start = async (at: number): Promise<void> => {
    started += 1;
    const name = `node-${started}`;
    const node = startNode({ name, database, exchange, isClustered: config.nodes > 1, now, mutate });
    node.events.onEach((_, { type, data }) => {
      if (type === 'batch.settled')
        settledEvents.set(String(data['id']), (settledEvents.get(String(data['id'])) ?? 0) + 1);
    });
    nodes[at] = node;
    await store.nodes.renew({ id: name, name, host: 'host', pid: started, bus: 'local', startedAt: now() }, 1e12);
    if (config.nodes === 1) node.background.run('restore', node.commands.restore);
  };

  const nodeOf = (name: string | undefined): Node | undefined => nodes.find((node) => node?.name === name);

  const hangUp = (): void => {
    const line = game.line();
    if (line === undefined) return;
    game.hangUp();
    nodeOf(line.node)?.leave(line.session);
  };

  const connect = async (node: Node): Promise<void> => {
    hangUp();
    sessions += 1;
    const id = `ses_${sessions}`;
    const opened = { commands: ['money@1'], accounts: ['bank'], classes: null, journalClass: 'durable' } as const;
    const software = { name: 'game', version: '1', game: 'test' };
    const row = { projectId: PROJECT, serverId: SERVER, id, node: node.name, instance: 'one', software, at: now() };
    const epoch = await store.sessions.open({ ...row, ...opened, commands: [...opened.commands], accounts: ['bank'] });
    const session: Session = {
      id,
      node: node.name,
      projectId: PROJECT,
      serverId: SERVER,
      epoch,
      instance: 'one',
      journalClass: 'durable',
      journalId: 'journal',
      classes: {},
      commands: new Set(opened.commands),
      accounts: ['bank'],
      connectedAt: now(),
      custom: undefined,
      announcement: undefined,
      announcesUntil: 0,
      offersUntil: 0,
      state: { reportedAt: now() },
      window: 0,
      isOpen: () => game.line()?.session.id === id,
      send: (message) => game.hears(session, message),
    };
    game.connect(session, node.name);
    await writePlayers();
    node.router.attach(session);
    const known = await store.servers.get(PROJECT, SERVER);
    if (known === undefined) throw new Error('The server is gone.');
    const attached = { window: 32, journal: { id: 'journal', sequence: 0 }, known, sameInstance: true };
    node.background.run('attach', () =>
      node.commands.attach(session, attached).then(
        () => node.commands.presence.synced(session),
        // A bridge whose open commands cannot be read is sent away.
        () => (game.line()?.session.id === id ? hangUp() : undefined),
      ),
    );
  };

  const request = (node: Node, key: string, isOther: boolean): void => {
    const listed = TARGETS.slice(0, config.targets);
    const amount = isOther ? AMOUNT + 1 : AMOUNT;
    const asked = node.commands.acceptBatch({
      project,
      serverId: SERVER,
      name: 'money',
      params: { type: 'bank', amount, action: 'add' },
      targets: [...listed, ...listed],
      label: undefined,
      deliver: config.deliver,
      expiresAt: Date.now() + LIFE_S * 1_000,
      abort: config.aborts ? { failedPercent: 40, after: 2 } : undefined,
      idempotencyKey: key,
      actor: { keyId: 'key_1', name: 'Shop' },
      key: { maxBatchTargets: null, maxBatchTotal: null },
      requestId: `req_${answers.length}`,
    });
    asked.then(
      ({ batch, replayed }) => answers.push({ key, isOther, batch, isReplayed: replayed }),
      (error: unknown) =>
        answers.push({ key, isOther, code: error instanceof HubError ? error.code : (error as Error).name }),
    );
  };

  const readBatches = async (): Promise<BatchRow[]> => (await store.batches.list(PROJECT, { limit: 50 })).rows;
  const commandsOf = async (id: string) => (await store.batches.commands(id, { limit: 100 })).rows;

  const takeBack = async (node: Node, batch: BatchRow): Promise<void> => {
    const asked = node.commands.batches.void(batch);
    asked.then(
      async () => {
        const rows = await commandsOf(batch.id);
        const left = rows.filter(({ status }) => status !== 'waiting' && status !== 'voided');
        takenBack.set(batch.id, new Set(left.map(({ id, round }) => `${id}.${round}`)));
      },
      () => undefined,
    );
  };

  for (let at = 0; at < config.nodes; at += 1) await start(at);
  await writePlayers();
  const [first] = nodes;
  if (first !== undefined) await connect(first);

  return {
    config,
    store,
    game,
    clock,
    nodes,
    answers,
    takenBack,
    settledEvents,
    start,
    nodeOf,
    connect,
    hangUp,
    request,
    takeBack,
    /** The batches, as they were when the promises were last checked. */
    batches: [] as readonly BatchRow[],
    readBatches,
    commandsOf,
    kill: (at: number): void => {
      const node = nodes[at];
      if (node === undefined) return;
      if (game.line()?.node === node.name) game.hangUp();
      node.kill();
      nodes[at] = undefined;
    },
    /** The game server reports that another player has the linked identifier. */
    relink: async (): Promise<void> => {
      linkedTo += 1;
      await writePlayers();
    },
    /** The node reads the bridge's next result, stores it, and acknowledges it. */
    readResult: (): void => {
      const line = game.line();
      const result = line?.up.shift();
      const node = nodeOf(line?.node);
      if (line === undefined || result === undefined || node === undefined) return;
      node.background.run('settle', () =>
        node.commands.settle(line.session, result).then(
          () => game.acknowledge(result.id),
          // The gateway tries again.
          () => void (game.line() === line && line.up.push(result)),
        ),
      );
    },
  };
};
export type World = Awaited<ReturnType<typeof openWorld>>;
