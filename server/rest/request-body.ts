import type { IncomingMessage } from 'node:http';
import { HubError } from '../errors.ts';

/** The largest body of a request, bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

const collect = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
      // What still comes is read and dropped, so that the caller gets to see the answer.
      else reject(new HubError('payload_too_large'));
    });
    request.on('end', () => resolve(chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString()));
    request.on('error', reject);
    request.on('close', () => {
      if (!request.complete) reject(new HubError('malformed_json'));
    });
  });

/** Reads a JSON body. What comes back parses it. @throws HubError unsupported_media_type, payload_too_large */
export const readJson = async (request: IncomingMessage): Promise<() => unknown> => {
  const { headers } = request;
  const length = Number(headers['content-length'] ?? 0);
  if (length > MAX_BODY_BYTES) throw new HubError('payload_too_large');
  const hasBody = length > 0 || headers['transfer-encoding'] !== undefined;
  const isJson = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
  if (hasBody && !isJson) throw new HubError('unsupported_media_type');
  const text = hasBody ? await collect(request) : '';
  return () => {
    if (!isJson) return {};
    try {
      return JSON.parse(text);
    } catch {
      throw new HubError('malformed_json');
    }
  };
};
