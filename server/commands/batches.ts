import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { isCustomName, nameOfCustom, playerParamOf } from '../../bridge-protocol/index.ts';
import type { ApiKeyRow } from '../../db/queries/api-keys.ts';
import { type BatchCounts, type BatchRow, bytesOfBatch, type WholeBatch } from '../../db/queries/commands/batches.ts';
import { readAsking } from '../../db/queries/commands/ends.ts';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import { moneyBounds, type ProjectRow } from '../../db/queries/projects.ts';
import type { Abort, BatchTarget, Matching } from '../../db/schema/batches.ts';
import { type CommandStatus, type Deliver, isSettled } from '../../db/schema/commands.ts';
import type { Store } from '../../db/store.ts';
import { createTurns, type InTurn } from '../../db/turns.ts';
import type { CustomCommand } from '../cluster/router.ts';
import { HubError, invalidField, notStored, rateLimited } from '../platform/errors.ts';
import { sentFields } from '../platform/fields.ts';
import { derivedBatchId, derivedCommandId, fingerprintOf } from '../platform/ids.ts';
import { Jobs } from '../platform/jobs.ts';
import { assertReason, isHubsKey, readLastingWish, type Wish } from './catalogue.ts';
import type { Reach } from './elsewhere.ts';
import { untilNone } from './end.ts';
import type { Core } from './run.ts';
import { playerMeant, UNSENT } from './submit.ts';
import { ofBatch, undoneBatch, undoRowOf } from './undo.ts';
import { fullOfBytes, type Waiting, waitingFull } from './waiting.ts';

/** Players of one batch. */
export const MAX_BATCH_TARGETS = 10_000;
/** Rows, or players looked up, at once: other work runs in between. */
const STEP = 50;

/** A caller's request for a batch. */
export type BatchRequest = {
  project: ProjectRow;
  serverId: string;
  name: string;
  params: Record<string, unknown>;
  targets: readonly string[] | Matching;
  label: string | undefined;
  deliver: Deliver | 'now';
  /** Epoch milliseconds after which its commands must not be sent any more. */
  expiresAt: number;
  abort: Abort | undefined;
  idempotencyKey: string;
  actor: { keyId: string; name: string };
  /** The bounds of the caller's key. */
  key: Pick<ApiKeyRow, 'maxBatchTargets' | 'maxBatchTotal'>;
  requestId: string;
};

/** The smaller bound of project and key, and the one that has it. */
export const batchBound = (
  name: 'maxBatchTargets' | 'maxBatchTotal',
  { project, key }: Pick<BatchRequest, 'project' | 'key'>,
): { most: number; owner: 'project' | 'API key' } => {
  const { maxBatchTotal } = moneyBounds(project);
  const ofProject = (name === 'maxBatchTotal' ? maxBatchTotal : project.maxBatchTargets) ?? Infinity;
  const ofKey = key[name] ?? Infinity;
  return ofKey < ofProject ? { most: ofKey, owner: 'API key' } : { most: ofProject, owner: 'project' };
};

/** After this, a bridge without a report is taken for one without players. */
const REPORTED_WITHIN_MS = 60_000;

/** Finds the players of batches. */
const createBatchTargets = ({ store }: Core, reach: Reach) => {
  /** Whether the bridge came back a moment ago and has not reported its players yet: a batch would miss them. */
  const isUnreported = async (projectId: string, serverId: string): Promise<boolean> => {
    const { connectedAt = 0, playersSyncedAt = null } = (await store.sessions.get(projectId, serverId)) ?? {};
    const ageMs = Date.now() - connectedAt;
    return (playersSyncedAt ?? 0) < connectedAt && ageMs >= 0 && ageMs < REPORTED_WITHIN_MS;
  };

  /** The players who match at this moment; undefined: more than any batch may have. @throws HubError bridge_offline */
  const matching = async (
    { project, serverId }: BatchRequest,
    wanted: Matching,
  ): Promise<readonly string[] | undefined> => {
    const isHere = (await reach.find({ projectId: project.id, serverId })) !== undefined;
    if (wanted.online && !isHere) throw new HubError('bridge_offline', undefined, { retryAfterS: 5 });
    if (isHere && (await isUnreported(project.id, serverId))) {
      throw new HubError('bridge_offline', 'The game server has not reported its players yet.', { retryAfterS: 1 });
    }
    const filters = { projectId: project.id, servers: [serverId], ...sentFields(wanted) };
    return (await store.players.keys(filters))?.map(({ identifier }) => identifier);
  };

  const targetsOf = async (request: BatchRequest): Promise<readonly string[]> => {
    const { targets } = request;
    const { most, owner } = batchBound('maxBatchTargets', request);
    const all = 'length' in targets ? targets : await matching(request, targets);
    if (all !== undefined && all.length <= most) return all;
    const says =
      most > MAX_BATCH_TARGETS
        ? `${MAX_BATCH_TARGETS} players: no batch has more`
        : `${most} players: the ${owner} allows no more in a batch`;
    throw invalidField('/targets', `has over ${says}`);
  };

  /** The players whom targets mean, each once, and the targets that mean none: these stand among the players, too. */
  const playersOf = async ({ project, serverId }: BatchRequest, given: readonly string[]) => {
    const unknown: string[] = [];
    const players = new Map<string, BatchTarget>();
    const address = { projectId: project.id, serverId };
    for (let from = 0; from < given.length; from += STEP) {
      const some = given.slice(from, from + STEP);
      const found = await Promise.all(some.map((target) => playerMeant(store, address, target)));
      for (const [n, target] of some.entries()) {
        const player = found[n] ?? target;
        if (found[n] === undefined) unknown.push(target);
        // Also one that means none: it must not mean somebody when its command is stored.
        if (!players.has(player)) players.set(player, found[n] === target ? target : [target, player]);
      }
      await nextTurn();
    }
    return { targets: [...players.values()], unknown };
  };

  return { targetsOf, playersOf };
};

/** The longest rest after a step: a step takes about ten milliseconds, and much longer only if the machine stood still. */
const MOST_REST_MS = 50;
/** A batch on which no node has worked for this long is taken over, and one of which no command was stored. */
const FORGOTTEN_MS = 10_000;

const WITHOUT_EFFECT: readonly CommandStatus[] = ['failed', 'rejected', 'expired'];
const sum = (counts: BatchCounts, isCounted: (status: CommandStatus) => boolean): number =>
  Object.entries(counts).reduce((total, [status, rows]) => total + (isCounted(status as CommandStatus) ? rows : 0), 0);

/** Counts the commands of a batch that have ended. */
const endedOf = (counts: BatchCounts): number => sum(counts, isSettled);

/** Whether so many of a batch's first commands had no effect that the rest must not be sent. */
const isToAbort = ({ abort, endedBy }: BatchRow, counts: BatchCounts): boolean => {
  if (abort === null || endedBy !== null) return false;
  const ended = endedOf(counts);
  const failed = sum(counts, (status) => WITHOUT_EFFECT.includes(status));
  return ended >= abort.after && failed * 100 > abort.failedPercent * ended;
};

const NO_PLAYER = { code: 'player_not_found', message: 'The server has no such player, or more than one.' };

/**
 * The command of a batch for one player. Its id is made of the player, so that no step makes a second one. It is rejected for
 * a player that the server does not have. Batches of earlier releases have linked identifiers among the plain ones; such a
 * command also has their key, so that an identifier that moves to another player is not paid twice.
 */
const rowOf = async (
  store: Pick<Store, 'players'>,
  batch: BatchRow,
  { target, at }: { target: BatchTarget; at: number },
): Promise<CommandRow> => {
  const { projectId, serverId, name, params, roles } = batch;
  const [word, own] = typeof target === 'string' ? [target, undefined] : target;
  const found =
    own === undefined
      ? await playerMeant(store, batch, word)
      : (await store.players.states(projectId, serverId, [own]))[0]?.identifier;
  const player = found ?? own ?? word;
  const isKnown = found !== undefined;
  const aimed = { ...params, [playerParamOf(roles ?? undefined)]: word };
  return {
    ...UNSENT,
    id: derivedCommandId(projectId, serverId, name, `batch/${batch.id}/${player}`),
    projectId,
    serverId,
    name,
    class: 'exactly-once',
    target: player,
    params: aimed,
    fingerprint: fingerprintOf(serverId, name, aimed),
    status: isKnown ? 'waiting' : 'rejected',
    idempotencyKey: own === undefined && player !== word ? `batch/${batch.id}/${word}` : null,
    actor: batch.actor,
    requestId: batch.requestId,
    error: isKnown ? null : NO_PLAYER,
    createdAt: at,
    expiresAt: batch.expiresAt,
    settledAt: isKnown ? null : at,
    deliver: batch.deliver,
    deliverUntil: batch.expiresAt,
    round: 0,
    ...ofBatch(batch),
    roles,
  };
};

/** Stores the commands of a batch from where the last node stopped, and lets them leave. */
const createRowWriter = (
  { store, live, run }: Core,
  {
    waiting,
    end,
    note,
  }: {
    waiting: Pick<Waiting, 'addedAll'>;
    end: (batch: BatchRow, by: 'voided') => Promise<BatchRow>;
    /** There is news of the batch. */
    note: (batch: BatchRow) => void;
  },
) => {
  /** Its server was deleted. Another one may have the name. */
  const hasLostServer = async ({ projectId, serverId, createdAt }: BatchRow): Promise<boolean> => {
    const server = await store.servers.get(projectId, serverId);
    return server === undefined || server.deletingAt !== null || server.createdAt > createdAt;
  };

  return async ({ targets, ...batch }: BatchRow & Pick<WholeBatch, 'targets'>): Promise<void> => {
    const { id, projectId, total } = batch;
    if (await hasLostServer(batch)) return void (await end(batch, 'voided'));
    const isUndo = undoneBatch(batch) !== undefined;
    const rowFor = (target: BatchTarget): Promise<CommandRow | undefined> => {
      const at = Date.now();
      // The targets of an undo are commands.
      return isUndo ? undoRowOf(store, batch, { target: String(target), at }) : rowOf(store, batch, { target, at });
    };
    for (let from = batch.written; from < total; from += STEP) {
      const since = performance.now();
      const some = targets.slice(from, from + STEP);
      const found = await Promise.all(some.map(rowFor));
      const rows = found.filter((row) => row !== undefined);
      const stored = (await Promise.all(rows.map((row) => live.insert(row)))).map(({ row }) => row);
      // Both are read after the commands are stored: an end of the batch, or of its server, that comes later takes them back.
      if (await hasLostServer(batch)) await end(batch, 'voided');
      if ((await store.batches.get(projectId, id))?.endedBy !== null) return;
      await waiting.addedAll(stored.filter(({ status }) => status === 'waiting'));
      run.asked(stored.filter((row) => readAsking(row) !== undefined));
      note(batch);
      // Undefined: another node is ahead.
      const advanced = await store.batches.advance(id, Math.min(from + STEP, total), Date.now());
      if (advanced === undefined) return;
      batch.outbox = advanced.outbox;
      // Single commands get half of the time.
      await pause(Math.min(performance.now() - since, MOST_REST_MS));
    }
  };
};

/**
 * Stores the commands of batches, reports their progress, and ends them. Each command's id is made from the batch and
 * the target, so two nodes that work on one batch store each command once.
 */
export const createBatches = (core: Core, waiting: Pick<Waiting, 'addedAll'>) => {
  const { store, events, live, run, background } = core;
  /** Batches with news since the last report, by id; the value is their project. */
  const news = new Map<string, string>();

  /** Ends the commands of a batch that have not left; restored ones are asked about. */
  const takeBackRest = async (id: string): Promise<void> => {
    for (const voided of await store.commands.voidBatch(id, Date.now())) live.release(voided);
    await untilNone(
      () => store.commands.askBatch(id, Date.now()),
      (rows) => {
        for (const row of rows) live.release(row.id);
        run.asked(rows);
      },
    );
  };

  const note = ({ id, projectId }: Pick<BatchRow, 'id' | 'projectId'>): void => void news.set(id, projectId);

  const end = async (batch: BatchRow, by: 'voided' | 'aborted'): Promise<BatchRow> => {
    const ended = await store.batches.end(batch.id, by, Date.now());
    await takeBackRest(batch.id);
    note(batch);
    return ended ?? (await store.batches.get(batch.projectId, batch.id)) ?? batch;
  };

  const writeRows = createRowWriter(core, { waiting, end, note });
  const write = async (id: string): Promise<void> => {
    const batch = await store.batches.whole(id);
    if (batch?.status !== 'writing') return;
    if (batch.endedBy === null) await writeRows(batch);
    const left = await store.batches.get(batch.projectId, id);
    if (left?.endedBy !== null) await takeBackRest(id);
    await store.batches.finishWriting(id, Date.now());
    note(batch);
  };

  const writing = new Jobs('write a batch', background, write);

  const begin = (batch: Pick<BatchRow, 'id' | 'projectId'>): void => {
    note(batch);
    writing.start(batch.id);
  };

  const report = async (id: string, projectId: string): Promise<void> => {
    const batch = await store.batches.touch(id, Date.now());
    if (batch === undefined || batch.projectId !== projectId) return;
    // The node that ended it may have stopped before this.
    if (batch.endedBy !== null) await takeBackRest(id);
    const counts = await store.batches.counts(id);
    const data = { id, label: batch.label, total: batch.total, counts };
    const isOver = batch.status === 'running' && endedOf(counts) === sum(counts, () => true);
    if (isOver && (await store.batches.settle(id, Date.now())) !== undefined) {
      return events.publish(projectId, { type: 'batch.settled', serverId: batch.serverId, data });
    }
    events.publish(projectId, { type: 'batch.progress', serverId: batch.serverId, data });
    if (isToAbort(batch, counts)) await end(batch, 'aborted');
  };

  /** Goes on with batches whose commands are not all stored, and of which none was stored since. */
  const resume = async (writtenBefore: number): Promise<void> => {
    for (const batch of await store.batches.unwritten(writtenBefore)) begin(batch);
  };

  /** Every few seconds: goes on with the batches of nodes that are gone. */
  const takeOver = async (): Promise<void> => {
    for (const batch of await store.batches.forgotten(Date.now() - FORGOTTEN_MS)) note(batch);
    await resume(Date.now() - FORGOTTEN_MS);
  };

  return {
    /** On the start of a hub that is alone: no other process stores commands. */
    restore: (): Promise<void> => resume(Number.MAX_SAFE_INTEGER),
    /** A batch was stored: its commands follow. */
    begin,
    /** A command of a batch has ended, or waits again. */
    note: ({ batchId, projectId }: CommandRow): void => {
      if (batchId !== null) news.set(batchId, projectId);
    },
    /** Takes back all commands of a batch that have not left. */
    void: (batch: BatchRow): Promise<BatchRow> => end(batch, 'voided'),
    takeOver,
    /** Once a second: reports batches with news, and ends them. */
    tick: async (): Promise<void> => {
      const due = [...news];
      news.clear();
      for (const [id, projectId] of due) await report(id, projectId);
    },
  };
};
export type Batches = ReturnType<typeof createBatches>;

/** Batches of a project that are at work, and all that have not ended. */
const MAX_BATCHES = { atWork: 5, open: 1_000 };
/** Stands for a player while parameters are checked. */
const ANYBODY = 'player';

/** The command for one player, with checked parameters. @throws HubError invalid_request */
const wishOf = ({ name, params }: BatchRequest, custom: ReadonlyMap<string, CustomCommand> | undefined): Wish => {
  const declared = isCustomName(name) ? custom?.get(nameOfCustom(name)) : undefined;
  const player = playerParamOf(declared?.roles);
  if (Object.hasOwn(params, player)) throw invalidField(`/params/${player}`, 'must be absent: targets has the players');
  if (declared !== undefined && declared.params.properties?.[player] === undefined) {
    throw invalidField('/name', 'must be a command with a player: this one has no such parameter');
  }
  const read = readLastingWish(name, { ...params, [player]: ANYBODY });
  if ('detail' in read) throw invalidField(read.pointer, read.detail);
  const { sentAction: _, ...wish } = read.wish;
  return { ...wish, ...(declared?.roles && { roles: declared.roles }) };
};

const moneyOf = ({ name, params }: Wish, targets: number): number | undefined =>
  name === 'money' ? Number((params as { amount?: number }).amount) * targets : undefined;

/** @throws HubError invalid_request: the batch moves more money than the project or the key allows */
export const assertWithin = (
  bounds: Pick<BatchRequest, 'project' | 'key'>,
  money: number | undefined,
  pointer: string,
): void => {
  const { most, owner } = batchBound('maxBatchTotal', bounds);
  if (money === undefined || money <= most) return;
  throw invalidField(pointer, `would move ${money}: the ${owner} allows ${most} in a batch`);
};

const fingerprint = ({ serverId, name, params, targets }: BatchRequest): string =>
  fingerprintOf(serverId, `batch ${name}`, { params, targets });

const OTHER_BATCH =
  'Repeat the same body to read the stored answer: the first batch may have paid players. Another batch needs another key.';

const replayed = (existing: BatchRow, request: BatchRequest): { batch: BatchRow; replayed: boolean } => {
  if (existing.fingerprint !== fingerprint(request)) throw new HubError('idempotency_mismatch', OTHER_BATCH);
  return { batch: existing, replayed: true };
};

const tooMany = (bound: string, retryAfterS: number): HubError =>
  rateLimited(`${bound}, and no more may.`, retryAfterS);

/** Checks and stores batches. */
export const createAcceptBatch = (
  core: Core,
  {
    batches,
    reach,
    inTurn,
  }: {
    batches: Pick<Batches, 'begin'>;
    reach: Reach;
    /** Requests of one project are counted and stored one after another, so that none slips past a bound. */
    inTurn: InTurn;
  },
) => {
  const { store } = core;
  const oneByOne = createTurns();
  const { targetsOf, playersOf } = createBatchTargets(core, reach);

  const assertRoom = async (
    { project, serverId, params }: Pick<BatchRequest, 'project' | 'serverId' | 'params'>,
    targets: number,
  ): Promise<void> => {
    const { open, atWork, unwritten, unwrittenBytes } = await store.batches.openOf(project.id);
    if (atWork >= MAX_BATCHES.atWork) throw tooMany(`${MAX_BATCHES.atWork} batches of the project are at work`, 10);
    if (open >= MAX_BATCHES.open) throw tooMany(`${MAX_BATCHES.open} batches of the project have not ended`, 60);
    const most = { player: 1, server: 1, project: project.maxWaiting };
    const counts = await store.commands.waitingCounts({ projectId: project.id, serverId }, null, most);
    if (counts.project + unwritten + targets > most.project) {
      const detail = `${most.project} commands of the project may wait, and the batch does not fit.`;
      throw waitingFull({ of: 'project', most: most.project }, detail);
    }
    const full = fullOfBytes(counts.bytes + unwrittenBytes, bytesOfBatch(params, targets));
    if (full !== undefined) throw full;
  };

  const check = async (request: BatchRequest) => {
    const { project, serverId } = request;
    const custom = isCustomName(request.name) ? await reach.customNow({ projectId: project.id, serverId }) : undefined;
    const wish = wishOf(request, custom);
    if (!isHubsKey(request.idempotencyKey)) assertReason(project, wish, '/params/reason');
    await reach.assertServer({ ...wish, project, serverId });
    const given = await targetsOf(request);
    const once = [...new Set(given)];
    assertWithin(request, moneyOf(wish, once.length), '/params/amount');
    // One at a time for a project, so that several take no more of a turn of the loop than one.
    const { targets, unknown } = await oneByOne(project.id, () => playersOf(request, once));
    return { wish, targets, duplicates: given.length - targets.length, unknown };
  };

  /** Stores a batch if there is room for it, and begins it. @throws HubError if nothing was stored */
  const keep = async (row: WholeBatch, request: Pick<BatchRequest, 'project' | 'serverId' | 'params'>) => {
    const { projectId, idempotencyKey, targets } = row;
    const stored = await inTurn(projectId, async () => {
      const existing = await store.batches.byKey(projectId, idempotencyKey);
      if (existing !== undefined) return { existing };
      await assertRoom(request, targets.length);
      return store.batches.insert(row).catch((error: unknown) => {
        throw notStored(error);
      });
    });
    if ('inserted' in stored) batches.begin(stored.inserted);
    return stored;
  };

  return {
    keep,
    /**
     * The effect that the batch would have; stores nothing. `money` is the sum for the players that the server has, where it
     * moves money. @throws HubError
     */
    dryRun: async (request: BatchRequest) => {
      const { wish, targets, duplicates, unknown } = await check(request);
      // Unknown players cannot be paid.
      const money = moneyOf(wish, targets.length - unknown.length);
      return { targets: targets.length, duplicates, unknown, ...(money !== undefined && { money }) };
    },
    /** @throws HubError if nothing was stored */
    accept: async (request: BatchRequest): Promise<{ batch: BatchRow; replayed: boolean }> => {
      const { project, serverId, name, label, deliver, abort, idempotencyKey, actor, requestId } = request;
      const before = await store.batches.byKey(project.id, idempotencyKey);
      if (before !== undefined) return replayed(before, request);
      const { wish, targets, duplicates } = await check(request);
      const at = Date.now();
      const roles = 'roles' in wish ? wish.roles : undefined;
      const { [playerParamOf(roles)]: _, ...params } = wish.params as Record<string, unknown>;
      const row: WholeBatch = {
        id: derivedBatchId(project.id, serverId, idempotencyKey),
        projectId: project.id,
        serverId,
        name,
        params,
        roles: roles ?? null,
        label: label ?? null,
        fingerprint: fingerprint(request),
        idempotencyKey,
        actor,
        requestId,
        deliver,
        abort: abort ?? null,
        status: 'writing',
        endedBy: null,
        total: targets.length,
        duplicates,
        written: 0,
        createdAt: at,
        expiresAt: request.expiresAt,
        touchedAt: at,
        writtenAt: null,
        settledAt: null,
        targets,
      };
      const stored = await keep(row, request);
      return 'existing' in stored ? replayed(stored.existing, request) : { batch: stored.inserted, replayed: false };
    },
  };
};
