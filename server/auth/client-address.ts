import type { IncomingMessage } from 'node:http';

/**
 * The address a request came from. Behind `proxies` trusted proxies, it is that many places from the end of
 * X-Forwarded-For. The client wrote everything further left, so that proves nothing.
 */
export const clientAddress = (request: IncomingMessage, proxies: number): string => {
  const direct = request.socket.remoteAddress ?? 'unknown';
  if (proxies === 0) return direct;
  const header = request.headers['x-forwarded-for'];
  const hops = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').map((hop) => hop.trim());
  return hops.at(-proxies)?.slice(0, 64) || direct;
};
