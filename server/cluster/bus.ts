import * as z from 'zod';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import { EVENT_TYPES } from './events.ts';

/** A node answers within a millisecond. One that answers later than this may still have taken what it was sent. */
export const ANSWER_WITHIN_MS = 2_000;

const address = { projectId: z.string(), serverId: z.string() };
/** A row as another node wrote it into a message. */
const commandRow = z.custom<CommandRow>((row) => typeof row === 'object' && row !== null && 'status' in row);
const closing = z.enum(['invalid_token', 'disabled', 'deleted']);

/** Messages between nodes: questions, or hints that a row changed. Rows decide, so a message may be lost, late or doubled. */
const busMessage = z.discriminatedUnion('type', [
  /**
   * An accepted command for a bridge of the receiver. `target` and `name` decide its place in the queue; `deadline` is in
   * epoch ms; `asker` is the node that waits for the outcome.
   */
  z.object({
    type: z.literal('run'),
    ...address,
    id: z.string(),
    epoch: z.number(),
    deadline: z.number(),
    name: z.string(),
    target: z.string().nullable(),
    asker: z.string().optional(),
  }),
  /** The settled row of a command that the receiver handed over. */
  z.object({ type: z.literal('settled'), row: commandRow }),
  z.object({ type: z.literal('void'), ...address, id: z.string() }),
  /** Rows wait for bridges that have moved to the receiver. */
  z.object({ type: z.literal('waiting') }),
  /** Another instance of the game server has taken over. */
  z.object({ type: z.literal('turn'), ...address }),
  z.object({ type: z.literal('read'), ...address, identifier: z.string() }),
  z.object({ type: z.literal('reports'), projectId: z.string() }),
  /** Asks for the custom commands of a bridge. */
  z.object({ type: z.literal('custom'), ...address }),
  /** Another node holds the bridge now: this socket may send nothing more. `cut`: the socket is dead. */
  z.object({ type: z.literal('fence'), sessionId: z.string(), cut: z.boolean() }),
  z.object({ type: z.literal('dismiss'), sessionId: z.string(), name: z.enum(['replaced', 'fenced']) }),
  z.object({ type: z.literal('close'), ...address, name: closing }),
  z.object({ type: z.literal('forget') }),
  /** The project has new events in the table. */
  z.object({ type: z.literal('told'), projectId: z.string() }),
  z.object({
    type: z.literal('event'),
    projectId: z.string(),
    event: z.object({
      id: z.string(),
      at: z.number(),
      type: z.enum(EVENT_TYPES),
      serverId: z.string(),
      data: z.record(z.string(), z.unknown()),
    }),
  }),
]);
export type BusMessage = z.infer<typeof busMessage>;
export type BusMessageOf<T extends BusMessage['type']> = Extract<BusMessage, { type: T }>;

/** Handlers of messages; the returned value answers a question. A hub of one node needs none. */
export type Handlers = { [T in BusMessage['type']]?: (message: BusMessageOf<T>) => unknown };

/** The connection of a node to the others. */
export type Bus = {
  readonly engine: 'local' | 'nats';
  /** Whether the other nodes can be reached now. */
  isUp(): boolean;
  /** `no_responders`: no node received the message. `timeout`: a node may have received it. */
  ask(node: string, message: BusMessage, withinMs: number): Promise<{ answer: unknown } | 'no_responders' | 'timeout'>;
  tell(node: string, message: BusMessage): void;
  /** Sends to all other nodes. */
  spread(message: BusMessage): void;
  /** Begins to receive as this node. `lost` is called when messages may have been missed. */
  listen(node: string, given: { handlers: Handlers; lost: () => void }): void;
  /** Stops sending and receiving. */
  close(): Promise<void>;
};

/** Gives a parsed message to its handler; undefined: this version does not know the message. */
export const hear = async (handlers: Handlers, message: unknown): Promise<unknown> => {
  const parsed = busMessage.safeParse(message);
  if (!parsed.success) return undefined;
  const handle = handlers[parsed.data.type] as ((message: BusMessage) => unknown) | undefined;
  return handle?.(parsed.data);
};

/** A hub of one node has no other node to reach. */
export const localBus: Bus = {
  engine: 'local',
  isUp: () => true,
  ask: async () => 'no_responders',
  tell: () => undefined,
  spread: () => undefined,
  listen: () => undefined,
  close: async () => undefined,
};
