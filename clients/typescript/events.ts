import type { components } from './api-types.ts';
import { HubProblem } from './problem.ts';
import { limited, readAnswer, sleep, type Transport } from './transport.ts';

type Player = components['schemas']['PlayerSummary'];
type Batch = components['schemas']['Batch'];
type Command = components['schemas']['Command'];
type Progress = { id: string; label: string | null; total: number; counts: Batch['counts'] };
type Schedule = { id: string; label: string };
/** A command in an event: with kept events, as `GET /commands/{id}` shows it. */
type Told = Pick<Command, 'id' | 'name' | 'target' | 'status'> & Partial<Command>;
type Server = { id: string; name: string; since: string };
type Line = {
  id: string;
  integrationId: string;
  transaction: string;
  package: string;
  product: string | null;
  state: string;
};

/**
 * The fields of each type of event that a project may keep, so that webhooks tell it, too. A webhook whose maker may not read
 * players gets no `name` of a player.
 */
export type KeptFields = {
  'command.settled': Told;
  'command.waiting': Told;
  'command.indeterminate': Told;
  'batch.settled': Progress & Partial<Batch>;
  'schedule.run': Schedule & { plannedAt: string; status: string; madeId: string };
  'schedule.paused': Schedule & { reason: string };
  'schedule.refused': Schedule & {
    plannedAt: string;
    lastPlannedAt?: string;
    status: string;
    code: string;
    message: string;
  };
  'shop.line.unmatched': Line & { reason: string | null; detail: string | null };
  'shop.line.delivered': Line & { name: string | null; target: string | null; commandId: string | null };
  'server.offline': Server;
  'server.online': Server;
  'player.first_seen': Pick<Player, 'identifier' | 'online'> & { name?: string; firstSeenAt: string };
  'webhook.off': { id: string; name: string | null; reason: string; failingSince: string | null };
};

/** The fields of each type of event, beside `serverId` and `at`. */
type Fields = KeptFields & {
  'player.joined': Pick<Player, 'identifier' | 'name' | 'online' | 'accounts'>;
  'player.balance': Pick<Player, 'identifier' | 'name' | 'online' | 'accounts'>;
  'player.left': Pick<Player, 'identifier' | 'online'> & Partial<Pick<Player, 'name' | 'accounts'>>;
  'player.removed': Pick<Player, 'identifier'>;
  'players.synced': { players: number };
  'bridge.connected': { software: { name: string; version: string } };
  'bridge.disconnected': { code: number };
  'batch.progress': Progress;
  'catalogue.changed': { kind: string; hash: string };
  'integration.delivery': { integrationId: string; type: string; transaction: string | null; outcome: string };
  'integration.unmatched': {
    integrationId: string;
    id: string;
    transaction: string;
    state: string;
    reason: string | null;
  };
};

export type EventType = keyof Fields;

/** Beside the fields of each type. `revision`, of kept events: it grows with each state of the subject. */
type Common = { serverId: string; at: string; revision?: number; omitted?: true };

/**
 * One event of the stream, a union by `type`. `missed`: events were lost, so read again what you need; `hints.missed`: only
 * such that the project does not keep.
 */
export type HubEvent =
  | { [T in EventType]: { type: T; id: string; data: Fields[T] & Common } }[EventType]
  | { type: 'missed' | 'hints.missed'; id?: string | undefined; data: Record<string, never> };

/** The options of the stream. */
export type EventOptions = {
  /** Ends the iteration, without an error. */
  signal?: AbortSignal | undefined;
  /** Only events of these types; `missed` comes in any case. */
  types?: readonly (EventType | 'hints.missed')[] | undefined;
  /** Only events of this game server. */
  serverId?: string | undefined;
  /** The `id` of the last event that you have dealt with: the stream goes on after it. */
  lastEventId?: string | undefined;
  /** Called each time that the hub begins to send: what you read from now on is not older than the stream. */
  onOpen?: (() => void) | undefined;
};

/** A hub says that it is alive every 15 seconds. */
const SILENCE_MS = 40_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** The fields of one block of a stream of server-sent events. */
const fieldsOf = (block: string): Record<string, string> =>
  Object.fromEntries(block.split('\n').map((line) => line.split(/: ?(.*)/s)));

/** The blocks of one answer as they come. */
async function* blocksOf(response: Response, heard: () => void): AsyncGenerator<Record<string, string>> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return;
    heard();
    const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
    text = blocks.pop() ?? '';
    yield* blocks.map(fieldsOf);
  }
}

/**
 * Events for ever: it reconnects where it left off. If events may have been lost in between, the next one is `missed`.
 * @throws HubProblem if the hub refuses the stream for good
 */
export async function* follow(
  { open }: Transport,
  { signal, types, serverId, lastEventId, onOpen }: EventOptions,
): AsyncGenerator<HubEvent, void> {
  let last = lastEventId;
  let wasOpen = false;
  let pause = FIRST_PAUSE_MS;
  while (signal?.aborted !== true) {
    const limit = limited(SILENCE_MS, signal);
    let retryAfterMs = 0;
    try {
      const headers = { 'Last-Event-ID': last, Accept: 'text/event-stream' };
      const query = { types, serverId };
      const response = await open({ method: 'GET', path: '/api/v2/events', query, headers }, limit.signal);
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (response.status !== 200 || !isStream) {
        const answer = await readAnswer(response);
        if (answer?.problem?.retryable === false) throw new HubProblem(answer.problem);
        retryAfterMs = answer?.retryAfterMs ?? 0;
      } else {
        onOpen?.();
        // Without an id the hub cannot know what was lost.
        if (wasOpen && last === undefined) yield { type: 'missed', data: {} };
        wasOpen = true;
        for await (const { event, data = '{}', id } of blocksOf(response, limit.extend)) {
          // A proxy may end each stream as soon as it has opened.
          pause = FIRST_PAUSE_MS;
          if (id !== undefined) last = id;
          if (event !== undefined) yield { type: event, id, data: JSON.parse(data) } as HubEvent;
        }
      }
    } catch (error) {
      if (error instanceof HubProblem) throw error;
    } finally {
      limit.cut();
    }
    await sleep(Math.max(retryAfterMs, pause * (1 + Math.random())), signal);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}
