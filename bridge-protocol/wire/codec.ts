import type * as z from 'zod/mini';
import { isLongerThan, isNestedDeeperThan, withoutUnstorable } from './frame-text.ts';
import { LIMITS } from './limits.ts';
import { type BridgeMessage, bridgeMessage, type HubMessage, hubMessage } from './messages.ts';

export type ProtocolErrorCode = 'frame_too_large' | 'invalid_json' | 'unsupported' | 'invalid_message';

/** A frame that is not a message. `re` is the frame's `type` where it had one. */
export class ProtocolError extends Error {
  override name = 'ProtocolError';
  readonly code: ProtocolErrorCode;
  readonly re: string | undefined;
  constructor(code: ProtocolErrorCode, message: string, re?: string) {
    super(message);
    this.code = code;
    this.re = re;
  }
}

const describe = (error: z.core.$ZodError): string =>
  error.issues
    .slice(0, 3)
    .map((issue) => `/${issue.path.join('/')}: ${issue.message || issue.code}`)
    .join('; ')
    .slice(0, 500);

const typeOf = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
    ? value.type.slice(0, 64)
    : undefined;

const parseFrame = (frame: string): unknown => {
  if (isNestedDeeperThan(frame, LIMITS.nesting)) {
    throw new ProtocolError('invalid_message', `A frame is nested at most ${LIMITS.nesting} deep.`);
  }
  try {
    return withoutUnstorable(frame, JSON.parse(frame));
  } catch {
    throw new ProtocolError('invalid_json', 'A frame is one JSON object.');
  }
};

type Reads<S> = { safeParse: (value: unknown) => z.core.util.SafeParseResult<z.output<S>> };

/** The reader of a schema is built with the first frame. */
export const decoder = <S extends z.ZodMiniDiscriminatedUnion>(schema: S, readerOf: (schema: S) => Reads<S>) => {
  const known = new Set(schema._zod.propValues?.['type']);
  let reader: Reads<S> | undefined;
  return (frame: string): z.output<S> => {
    if (isLongerThan(frame, LIMITS.frameBytes)) {
      throw new ProtocolError('frame_too_large', `A frame has at most ${LIMITS.frameBytes} bytes.`);
    }
    const value = parseFrame(frame);
    const type = typeOf(value);
    if (type === undefined) throw new ProtocolError('invalid_message', 'A frame has a string "type".');
    if (!known.has(type)) throw new ProtocolError('unsupported', `The type "${type}" is not known here.`, type);
    reader ??= readerOf(schema);
    const parsed = reader.safeParse(value);
    if (!parsed.success) throw new ProtocolError('invalid_message', describe(parsed.error), type);
    return parsed.data;
  };
};

/** Reads an outgoing message of this bridge as the hub would. @throws ProtocolError */
export const rereadBridgeMessage: (frame: string) => BridgeMessage = decoder(bridgeMessage, (schema) => schema);
/** Reads a message of the hub. @throws ProtocolError */
export const decodeHubMessage: (frame: string) => HubMessage = decoder(hubMessage, (schema) => schema);

/** Writes a message as a frame. @throws ProtocolError over {@link LIMITS.frameBytes} */
export const encode = (message: BridgeMessage | HubMessage): string => {
  const frame = JSON.stringify(message);
  if (isLongerThan(frame, LIMITS.frameBytes)) {
    throw new ProtocolError('frame_too_large', `A frame has at most ${LIMITS.frameBytes} bytes.`, message.type);
  }
  return frame;
};
