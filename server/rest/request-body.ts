import type { IncomingMessage } from 'node:http';
import { HubError } from '../errors.ts';

/** The largest body of a request, bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

/** Reads to the end. What comes beyond the bound is read and dropped, so that the caller gets to see the answer. */
const collect = (request: IncomingMessage, take: (text: string) => void, fail: (error: unknown) => void): void => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    else fail(new HubError('payload_too_large'));
  });
  request.on('end', () => take(chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString()));
  request.on('error', fail);
  request.on('close', () => {
    if (!request.complete) fail(new HubError('malformed_json'));
  });
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new HubError('malformed_json');
  }
};

/** Reads a JSON body. What comes back parses it. @throws HubError unsupported_media_type, payload_too_large */
export const readJson = (request: IncomingMessage): Promise<() => unknown> =>
  new Promise((resolve, reject) => {
    const { headers } = request;
    const length = Number(headers['content-length'] ?? 0);
    if (length > MAX_BODY_BYTES) throw new HubError('payload_too_large');
    const hasBody = length > 0 || headers['transfer-encoding'] !== undefined;
    const isJson = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
    if (hasBody && !isJson) throw new HubError('unsupported_media_type');
    const take = (text: string): void => resolve(() => (isJson ? parse(text) : {}));
    if (hasBody) collect(request, take, reject);
    else take('');
  });
