import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { HubError } from '../platform/errors.ts';

/** The largest body of a request, bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

/** The caller closed the connection during the body of its request. */
export class ClientClosedError extends Error {
  override name = 'ClientClosedError';
}
/** The status for log and metrics of such a request, as in nginx. It is never sent. */
export const CLIENT_CLOSED = 499;

/** The body by its headers; `hasBody` is also true for a chunked body. */
export const bodyHeaders = (headers: IncomingHttpHeaders) => {
  const length = Number(headers['content-length'] ?? 0);
  return {
    length,
    hasBody: length > 0 || headers['transfer-encoding'] !== undefined,
    isJson: headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json',
  };
};

/** Reads to the end. Bytes over the bound are dropped, so that the caller still receives the answer. */
const collect = (request: IncomingMessage, take: (body: Buffer) => void, fail: (error: unknown) => void): void => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    else fail(new HubError('payload_too_large'));
  });
  request.on('end', () => take(chunks[0] !== undefined && chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
  request.on('error', () => fail(new ClientClosedError()));
  request.on('close', () => {
    if (!request.complete) fail(new ClientClosedError());
  });
};

const parse = (body: Buffer): unknown => {
  if (!isUtf8(body)) throw new HubError('malformed_json');
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new HubError('malformed_json');
  }
};

/**
 * Reads a JSON body. An empty body counts as `{}`. The returned function parses it.
 * @throws HubError unsupported_media_type, payload_too_large
 */
export const readJson = (request: IncomingMessage): Promise<() => unknown> =>
  new Promise((resolve, reject) => {
    const { length, hasBody, isJson } = bodyHeaders(request.headers);
    if (length > MAX_BODY_BYTES) throw new HubError('payload_too_large');
    if (length > 0 && !isJson) throw new HubError('unsupported_media_type');
    const take = (body: Buffer): void => {
      if (body.length === 0) resolve(() => ({}));
      else if (isJson) resolve(() => parse(body));
      else reject(new HubError('unsupported_media_type'));
    };
    if (hasBody) collect(request, take, reject);
    else resolve(() => ({}));
  });
