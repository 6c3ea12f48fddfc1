import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Principal } from '../auth/credentials.ts';
import { isHubsKey } from '../commands/catalogue.ts';
import type { HubParts } from '../parts/parts.ts';
import { HubError, invalidField } from '../platform/errors.ts';
import { assertShallow } from '../platform/fields.ts';

/** The parts of the hub for routes. */
export type RestDeps = Omit<HubParts, 'bus' | 'membership' | 'node'>;

/** Variables that the middleware sets for routes. */
export type RestEnv = {
  Bindings: HttpBindings;
  Variables: { requestId: string; principal: Principal; readBody: () => unknown; isSigned?: true };
};

/** The largest body of a request, bytes. */
export const MAX_BODY_BYTES = 64 * 1024;
/** The largest body of an announcement, which may list its players, bytes. */
export const MAX_ANNOUNCE_BYTES = 160 * 1024;
/** The largest body of a batch, which lists its players, bytes. */
export const MAX_BATCH_BYTES = 2 * 1024 * 1024;

/** The caller closed the connection during the body of its request. */
export class ClientClosedError extends Error {
  override name = 'ClientClosedError';
}
/** The status for log and metrics of such a request, as in nginx. It is never sent. */
export const CLIENT_CLOSED = 499;

/** A header of a request; several of one name are joined. */
export const headerOf = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
};

/** The body by its headers; `hasBody` is also true for a chunked body. */
export const bodyHeaders = (headers: IncomingHttpHeaders) => {
  const length = Number(headers['content-length'] ?? 0);
  return {
    length,
    hasBody: length > 0 || headers['transfer-encoding'] !== undefined,
    isJson: headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json',
  };
};

const tooLarge = (most: number): HubError => new HubError('payload_too_large', `Send at most ${most / 1024} KiB here.`);

/** Reads to the end. Bytes over the bound are dropped, so that the caller still receives the answer. */
const collect = (
  request: IncomingMessage,
  most: number,
  take: (body: Buffer) => void,
  fail: (error: unknown) => void,
): void => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= most) chunks.push(chunk);
    else fail(tooLarge(most));
  });
  request.on('end', () => take(chunks[0] !== undefined && chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
  request.on('error', () => fail(new ClientClosedError()));
  request.on('close', () => {
    if (!request.complete) fail(new ClientClosedError());
  });
};

/** Checks the text of a body. The returned function parses it; an empty one counts as `{}`. @throws HubError */
export const jsonReader = (body: Buffer): (() => unknown) => {
  if (!isUtf8(body)) throw new HubError('malformed_json');
  const json = body.toString();
  assertShallow(json);
  return () => {
    try {
      return json === '' ? {} : JSON.parse(json);
    } catch {
      throw new HubError('malformed_json');
    }
  };
};

/**
 * Reads a JSON body of at most `most` bytes. An empty body counts as `{}`. The returned function parses it.
 * @throws HubError unsupported_media_type, payload_too_large
 */
export const readJson = (request: IncomingMessage, most = MAX_BODY_BYTES): Promise<() => unknown> =>
  new Promise((resolve, reject) => {
    const { length, hasBody, isJson } = bodyHeaders(request.headers);
    if (length > most) throw tooLarge(most);
    if (length > 0 && !isJson) throw new HubError('unsupported_media_type');
    const take = (body: Buffer): void => {
      if (isJson || body.length === 0) resolve(() => jsonReader(body)());
      else reject(new HubError('unsupported_media_type'));
    };
    if (hasBody) collect(request, most, take, reject);
    else resolve(() => ({}));
  });

/** Reads a body as it came, up to `most` bytes. @throws HubError payload_too_large */
export const readBody = (request: IncomingMessage, most: number): Promise<Buffer> =>
  new Promise((take, fail) => {
    const { length, hasBody } = bodyHeaders(request.headers);
    if (length > most) throw tooLarge(most);
    if (hasBody) collect(request, most, take, fail);
    else take(Buffer.alloc(0));
  });

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** `Idempotency-Key`, bare or as a quoted structured-field string. @throws HubError invalid_request */
export const readIdempotencyKey = (request: IncomingMessage): string | undefined => {
  const header = request.headers['idempotency-key']?.toString();
  if (header === undefined) return undefined;
  // Node.js joins headers of one name with a comma.
  if (header.includes(',') && (request.headersDistinct['idempotency-key'] ?? []).length > 1) {
    throw invalidField('/Idempotency-Key', 'must be sent once');
  }
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header);
  const key = quoted?.[1] === undefined ? header : quoted[1].replaceAll(/\\(["\\])/g, '$1');
  if (!PRINTABLE.test(key)) throw invalidField('/Idempotency-Key', 'must be 1 to 255 printable ASCII characters');
  if (isHubsKey(key)) {
    throw invalidField(
      '/Idempotency-Key',
      'must not begin with shop/, schedule/, batch/, undo/ or again/: such keys are the hub’s own',
    );
  }
  return key;
};

const WAIT = /^wait *= *"?(\d{1,2})"?$/;

/**
 * `Prefer` (RFC 7240): unknown preferences and parameters are ignored. With `respond-async` and `wait`, the hub waits
 * that long and then answers 202. The first `wait` counts.
 */
export const readPreference = (
  header: string | undefined,
  defaultWaitMs: number,
): { waitMs: number; isAsync: boolean } => {
  if (header === undefined) return { waitMs: defaultWaitMs, isAsync: false };
  const preferences = header.split(',').map((part) => part.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  const isAsync = preferences.includes('respond-async');
  const seconds = preferences.map((part) => WAIT.exec(part)?.[1]).find((text) => text);
  const wait = Number(seconds ?? 0);
  if (wait >= 1 && wait <= 60) return { waitMs: wait * 1000, isAsync };
  return { waitMs: isAsync ? 0 : defaultWaitMs, isAsync };
};
