const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether the address is reachable from its own machine only. */
export const isLoopback = (url: string): boolean => LOOPBACK.test(new URL(url).hostname);

const PRIVATE_IP4 = /^(?:10\.\d+|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)\.\d+\.\d+$/;
const PRIVATE_IP6 = /^\[(?:f[cd]|fe80)/;
/** A name without dots, or one that no public server has. */
const PRIVATE_NAME = /^[^.:[]+$|\.(?:lan|local|internal|home\.arpa)$/;

/** Whether the address stays inside of one machine or a local network, so that plain HTTP is not on the internet. */
export const isPrivate = (url: string): boolean => {
  const { hostname } = new URL(url);
  return isLoopback(url) || [PRIVATE_IP4, PRIVATE_IP6, PRIVATE_NAME].some((form) => form.test(hostname));
};

export const bridgeUrlOf = (hub: string): string => `${new URL(hub).origin.replace(/^http/, 'ws')}/bridge`;

type TypedHub = { origin: string; wrong?: undefined } | { origin?: undefined; wrong: 'address' | 'path' };
const WRONG: TypedHub = { wrong: 'address' };

/**
 * Reads a typed hub address: a host, a host with a port, or a URL. Protocol and port default to those of `page`.
 * Wrong: no address, a loopback address, or one with a path, under which no hub can be reached.
 */
export const readHub = (typed: string, page: string): TypedHub => {
  const { protocol, port } = new URL(page);
  const text = typed.trim();
  const whole = text.includes('://') ? text : `${protocol}//${text}`;
  if (text === '' || /\s/.test(text) || !URL.canParse(whole)) return WRONG;
  const url = new URL(whole);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return WRONG;
  if (!text.includes('://') && !/^[^/]*:\d+(?:$|[/?#])/.test(text)) url.port = port;
  if (isLoopback(url.href)) return WRONG;
  const hasPath = url.pathname !== '/' || url.search !== '' || url.hash !== '';
  return hasPath ? { wrong: 'path' } : { origin: url.origin };
};
