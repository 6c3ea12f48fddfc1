import * as z from 'zod';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import { EVENT_TYPES } from './events.ts';

const address = { projectId: z.string(), serverId: z.string() };
/** As a node of this program wrote it. */
const commandRow = z.custom<CommandRow>((row) => typeof row === 'object' && row !== null && 'status' in row);
const closing = z.enum(['invalid_token', 'disabled', 'deleted']);

/** What nodes say to one another. Each is a question or a hint that a row changed: rows decide, so all of it may be lost, late or doubled. */
const busMessage = z.discriminatedUnion('type', [
  /**
   * An accepted command for a bridge of yours. `target` and `name` give its place in the queue; `deadline`: epoch ms;
   * `asker`: the node that waits for its outcome.
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
  /** A command that you asked for, as its row has it now: it need not be read. */
  z.object({ type: z.literal('settled'), row: commandRow }),
  z.object({ type: z.literal('void'), ...address, id: z.string() }),
  /** Rows wait for bridges that have come to you. */
  z.object({ type: z.literal('waiting') }),
  /** The bridge of these went right after they had been delivered. */
  z.object({ type: z.literal('suspects'), ids: z.array(z.string()) }),
  /** Another instance took this server over. */
  z.object({ type: z.literal('turn'), ...address }),
  z.object({ type: z.literal('read'), ...address, identifier: z.string() }),
  z.object({ type: z.literal('reports'), projectId: z.string() }),
  /** What a bridge of yours adds to the catalogue. */
  z.object({ type: z.literal('custom'), ...address }),
  /** Another node holds the bridge now: nothing more may be sent to this socket; `cut`: it is dead. */
  z.object({ type: z.literal('fence'), sessionId: z.string(), cut: z.boolean() }),
  z.object({ type: z.literal('dismiss'), sessionId: z.string(), name: z.enum(['replaced', 'fenced']) }),
  z.object({ type: z.literal('close'), ...address, name: closing }),
  z.object({ type: z.literal('forget') }),
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

/** `nobody`: it is certain that no one heard. `silence`: whether somebody did, nobody knows. */
export type Reply = { answer: unknown } | 'nobody' | 'silence';

/** What a node does with a message; what it returns is the answer to a question. */
export type Handlers = { [T in BusMessage['type']]: (message: BusMessageOf<T>) => unknown };

/** How a node reaches the others. */
export type Bus = {
  readonly engine: 'local' | 'nats';
  /** Whether the others can be reached now. */
  isUp(): boolean;
  ask(node: string, message: BusMessage, withinMs: number): Promise<Reply>;
  tell(node: string, message: BusMessage): void;
  /** Tells all others. */
  spread(message: BusMessage): void;
  /** From now on this is that node. `lost`: messages may have been missed. */
  listen(node: string, given: { handlers: Handlers; lost: () => void }): void;
  /** Hears and says nothing more. */
  close(): Promise<void>;
};

export const encodeBusMessage = (message: BusMessage): string => JSON.stringify(message);

/** Hands a message, as it came out of its JSON, to its handler; undefined for one that this version does not know. */
export const hear = async (handlers: Handlers, message: unknown): Promise<unknown> => {
  const parsed = busMessage.safeParse(message);
  if (!parsed.success) return undefined;
  const handle = handlers[parsed.data.type] as (message: BusMessage) => unknown;
  return handle(parsed.data);
};
