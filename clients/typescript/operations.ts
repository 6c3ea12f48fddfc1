import type { components, operations } from './api-types.ts';
import type { CommandInput, CommandName, coreOf } from './commands.ts';
import { type Command, type Happened, isBadRequest, newKey, type Outcome } from './outcome.ts';
import { type ErrorCode, HubProblem, type Problem } from './problem.ts';
import type { Args, BodyOfOperation, Method, PartOf, ResultOf } from './request.ts';
import { type Call, type CallOptions, filled, type Transport } from './transport.ts';
import { orderSignature } from './webhook.ts';

const COMMANDS = [
  ...(['kick', 'money', 'items', 'vehicles', 'job', 'announce'] as const),
  ...(['message', 'revive', 'heal', 'freeze', 'teleport'] as const),
];

/** The operations that are one plain request: method and path below `/api/v2`. */
const PLAIN = {
  getHealth: 'get /health',
  listPlayers: 'get /players',
  listPlayerIdentifiers: 'get /players/identifiers',
  getPlayer: 'get /players/{identifier}',
  deletePlayer: 'delete /players/{identifier}',
  listActions: 'get /bridge/{serverId}/actions',
  listCommands: 'get /commands',
  sumCommands: 'get /commands/sums',
  exportCommands: 'get /commands.csv',
  getCommand: 'get /commands/{id}',
  voidCommand: 'post /commands/{id}/void',
  resolveCommand: 'post /commands/{id}/resolve',
  listBatches: 'get /batches',
  getBatch: 'get /batches/{id}',
  listBatchCommands: 'get /batches/{id}/commands',
  exportBatch: 'get /batches/{id}/commands.csv',
  voidBatch: 'post /batches/{id}/void',
  listSchedules: 'get /schedules',
  getSchedule: 'get /schedules/{id}',
  listScheduleRuns: 'get /schedules/{id}/runs',
  changeSchedule: 'patch /schedules/{id}',
  deleteSchedule: 'delete /schedules/{id}',
  listServers: 'get /servers',
  createServer: 'post /servers',
  getServer: 'get /servers/{serverId}',
  updateServer: 'patch /servers/{serverId}',
  previewServerDeletion: 'get /servers/{serverId}/deletion',
  deleteServer: 'delete /servers/{serverId}',
  rotateServerToken: 'post /servers/{serverId}/token',
  listItems: 'get /servers/{serverId}/items',
  listVehicles: 'get /servers/{serverId}/vehicles',
  listJobs: 'get /servers/{serverId}/jobs',
  listKeys: 'get /keys',
  createKey: 'post /keys',
  updateKey: 'patch /keys/{id}',
  revokeKey: 'delete /keys/{id}',
  rotateKey: 'post /keys/{id}/rotate',
  listIntegrations: 'get /integrations',
  createIntegration: 'post /integrations',
  getIntegration: 'get /integrations/{id}',
  updateIntegration: 'patch /integrations/{id}',
  deleteIntegration: 'delete /integrations/{id}',
  testIntegration: 'post /integrations/{id}/test',
  listDeliveries: 'get /integrations/{id}/deliveries',
  listUnmatched: 'get /integrations/{id}/unmatched',
  decideLines: 'post /integrations/{id}/unmatched',
  listDecided: 'get /integrations/{id}/decided',
  decideUnmatched: 'post /integrations/{id}/unmatched/{lineId}',
  getProject: 'get /project',
  changeProject: 'patch /project',
  signIn: 'post /panel/session',
  getMe: 'get /me',
  getPanelSession: 'get /panel/session',
  signOut: 'delete /panel/session',
  getStatistics: 'get /statistics',
  listWebhooks: 'get /webhooks',
  createWebhook: 'post /webhooks',
  getWebhook: 'get /webhooks/{id}',
  updateWebhook: 'patch /webhooks/{id}',
  deleteWebhook: 'delete /webhooks/{id}',
  rotateWebhook: 'post /webhooks/{id}/rotate',
  testWebhook: 'post /webhooks/{id}/test',
  replayWebhook: 'post /webhooks/{id}/replay',
  listWebhookDeliveries: 'get /webhooks/{id}/deliveries',
  retryWebhookDelivery: 'post /webhooks/{id}/deliveries/{eventId}/retry',
} as const satisfies Partial<Record<keyof operations, `${Method} /${string}`>>;
type Plain = keyof typeof PLAIN;

/** Operations with a function of another name or form; receiveTebex is for Tebex alone. */
type Special =
  | (CommandName | 'runAction' | 'undoCommand' | 'repeatCommand')
  | ('createBatch' | 'undoBatch' | 'createSchedule' | 'runSchedule')
  | ('streamEvents' | 'receiveOrder' | 'receiveTebex');
/** Does not compile if the OpenAPI document has an operation that is in none of these lists. */
type Forgotten = Exclude<keyof operations, Plain | Special>;
const forgotten: Record<Forgotten, never> = {};

type Known<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>;
/** Takes true and false for these words, too. */
type WithBooleans<Q> = { [N in keyof Q]: NonNullable<Q[N]> extends 'true' | 'false' ? Q[N] | boolean : Q[N] };
/** The parameters of an operation and the fields of its body, together. */
export type InputOf<O> = Known<PartOf<O, 'path'>> & Known<WithBooleans<PartOf<O, 'query'>>> & Known<BodyOfOperation<O>>;

/** The page that was asked for; iterating over it reads the pages after it, too. */
export type Listed<R> = Promise<R> & (R extends { data: (infer Row)[] } ? AsyncIterable<Row> : unknown);

/** One function for each plain operation. It takes path, query and body as one object. */
export type PlainOperations = {
  [N in Plain]: (...args: Args<InputOf<operations[N]>>) => Listed<ResultOf<operations[N]>>;
};
export type CommandOperations = {
  [N in CommandName]: (input: CommandInput<N>, options?: CallOptions) => Promise<Outcome>;
};

type Page = { data?: unknown[]; pagination?: { next: string | null } };

/** Adds the pages that follow to the promise of a page. */
const listed = (first: Promise<unknown>, next: (cursor: string) => Promise<unknown>) =>
  Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      for (let page = (await first) as Page; ; ) {
        yield* page.data ?? [];
        const cursor = page.pagination?.next ?? null;
        if (cursor === null) return;
        page = (await next(cursor)) as Page;
      }
    },
  });

/** Parts the fields that belong into the path from the others. */
const split = (path: string, input: object): [path: string, rest: object] => {
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
  const rest = Object.entries(input).filter(([name]) => !names.includes(name));
  return [filled(`/api/v2${path}`, input), Object.fromEntries(rest)];
};

const plain = ({ request }: Transport, text: string) => {
  const [method = '', path = ''] = text.split(' ');
  const isRead = method === 'get';
  return (input: object = {}, options: CallOptions = {}): Promise<unknown> => {
    const ask = async (more: object): Promise<unknown> => {
      const [address, rest] = split(path, { ...input, ...more });
      const parts = isRead || method === 'delete' ? { query: rest } : { body: rest };
      return request({ method: method.toUpperCase(), path: address, ...parts, isRepeatable: isRead }, options);
    };
    const first = ask({});
    return isRead ? listed(first, (cursor) => ask({ cursor, offset: undefined })) : first;
  };
};

/** Whether the hub has stored what makes commands later: a batch, a schedule, a run, an order. */
export type Stored<T> = (
  | { stored: 'yes'; value: T; reason?: undefined; problem?: undefined }
  /** It is not stored, and nothing of it will happen. */
  | { stored: 'no'; reason: ErrorCode; problem: Problem }
  /** It may be stored. Ask again with the same `key`. */
  | { stored: 'unknown'; reason: 'no_answer' | 'aborted'; problem?: Problem; detail?: string }
) & {
  /** The Idempotency-Key; undefined where the hub needs none to do it once. */
  key: string | undefined;
};

/** Sends what the hub stores once, until that is known or the time is over. @throws HubProblem as for a command */
const store = async <T>(
  { persist }: Transport,
  call: Call,
  key: string | undefined,
  options: CallOptions = {},
): Promise<Stored<T>> => {
  const tried = await persist({ ...call, isRepeatable: true, isOpen: () => false }, options);
  const { answer, isLost, isAborted, why } = tried;
  const problem = answer?.problem;
  if (answer !== undefined && problem === undefined) return { stored: 'yes', value: answer.body as T, key };
  if (problem?.code === 'idempotency_mismatch') throw new HubProblem(problem);
  if (problem !== undefined && !isLost) {
    if (isBadRequest(problem)) throw new HubProblem(problem);
    if (problem.executed === 'no') return { stored: 'no', reason: problem.code, problem, key };
  }
  const reason = isAborted ? 'aborted' : 'no_answer';
  return { stored: 'unknown', reason, ...(problem && { problem }), ...(why !== '' && { detail: why }), key };
};

type Batch = components['schemas']['Batch'];
type Of<N extends keyof operations> = InputOf<operations[N]>;
type Keyed<I> = Omit<I, 'dryRun'> & { key?: string | undefined };

/** Every operation of the hub, over one transport. */
export const operationsOf = (transport: Transport, { command, outcome, until }: ReturnType<typeof coreOf>) => {
  const { request } = transport;
  const post = (path: string, input: object = {}, key?: string) => {
    const [address, body] = split(path, input);
    const headers = { 'Idempotency-Key': key };
    return { method: 'POST', path: address, body, headers };
  };
  const dryRun = async <T>(path: string, input: object, options: CallOptions = {}): Promise<T> => {
    const { key = newKey(), ...rest }: { key?: string } = input;
    return (await request(post(path, { ...rest, dryRun: true }, key), options)) as T;
  };
  const keep = <T>(path: string, { key = newKey(), ...input }: { key?: string | undefined }, options?: CallOptions) =>
    store<T>(transport, post(path, input, key), key, options);

  const others = {
    ...forgotten,

    /** Undoes a command, at most once. `yes`: its effect is taken back, or it was not sent and never will be. */
    undoCommand: async ({ id, reason }: Of<'undoCommand'>, options: CallOptions = {}): Promise<Happened> => {
      const body = reason === undefined ? {} : { reason };
      const happened = await outcome('/api/v2/commands/{id}/undo', { path: { id }, body }, options);
      const { command, problem } = happened;
      if (command?.id !== id || command.status !== 'voided' || problem !== undefined) return happened;
      return { happened: 'yes', command: command as Command };
    },

    /** Sends a command again that had no effect, once. After a lost answer it follows the one that was sent. */
    repeatCommand: async ({ id }: { id: string }, options: CallOptions = {}): Promise<Happened> => {
      const happened = await outcome('/api/v2/commands/{id}/again', { path: { id } }, options);
      if (happened.reason !== 'already_sent' || happened.command === undefined) return happened;
      return until(happened.command.id, options).catch(() => happened);
    },

    /** Stores a batch: its commands follow. The `key` pays each player once. */
    createBatch: (input: Keyed<Of<'createBatch'>>, options?: CallOptions): Promise<Stored<Batch>> =>
      keep('/batches', input, options),
    /** The effect that a batch would have; nothing is stored. */
    previewBatch: (input: Keyed<Of<'createBatch'>>, options?: CallOptions) =>
      dryRun<components['schemas']['BatchDryRun']>('/batches', input, options),
    /** Undoes a batch that has ended, at most once. */
    undoBatch: (input: Omit<Of<'undoBatch'>, 'dryRun'>, options?: CallOptions): Promise<Stored<Batch>> =>
      store(transport, post('/batches/{id}/undo', input), undefined, options),
    /** The effect that undoing a batch would have; nothing is stored. */
    previewUndoBatch: (input: Omit<Of<'undoBatch'>, 'dryRun'>, options?: CallOptions) =>
      dryRun<components['schemas']['BatchUndoDryRun']>('/batches/{id}/undo', input, options),
    /** Makes a schedule; the same `key` makes it once. */
    createSchedule: (input: Keyed<Of<'createSchedule'>>, options?: CallOptions) =>
      keep<components['schemas']['Schedule']>('/schedules', input, options),
    /** When a schedule would run; nothing is stored. */
    previewSchedule: (input: Keyed<Of<'createSchedule'>>, options?: CallOptions) =>
      dryRun<components['schemas']['ScheduleDryRun']>('/schedules', input, options),
    /** Runs a schedule now, once for each `key`. */
    runSchedule: (input: { id: string; key?: string | undefined }, options?: CallOptions) =>
      keep<components['schemas']['ScheduleRunNow']>('/schedules/{id}/run', input, options),

    /** Reports an order of a web shop, signed with the integration's secret. The hub counts each `order.id` once. */
    sendOrder: async (
      { id, secret, order }: { id: string; secret: string; order: BodyOfOperation<operations['receiveOrder']> },
      options?: CallOptions,
    ): Promise<Stored<components['schemas']['Receipt']>> => {
      const call = { ...post('/integrations/{id}/orders', { id }), body: order };
      const headers = { 'X-Causeway-Signature': await orderSignature(secret, JSON.stringify(order)) };
      return store(transport, { ...call, headers }, undefined, options);
    },
  };
  const commands = Object.fromEntries(COMMANDS.map((name) => [name, command.bind(undefined, name)]));
  const plains = Object.fromEntries(Object.entries(PLAIN).map(([name, text]) => [name, plain(transport, text)]));
  return Object.assign(others, commands as unknown as CommandOperations, plains as PlainOperations);
};
