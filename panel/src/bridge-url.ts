const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether the address is reachable from its own machine only. */
export const isLoopback = (url: string): boolean => LOOPBACK.test(new URL(url).hostname);

const PRIVATE =
  /^(10|192\.168|172\.(1[6-9]|2\d|3[01])|169\.254)\.|^\[f[cd]|^\[fe80|^[^.]+$|\.(lan|local|internal|home\.arpa)$/;

/** Whether the address stays inside of one machine or a local network, so that plain HTTP is not on the internet. */
export const isPrivate = (url: string): boolean => isLoopback(url) || PRIVATE.test(new URL(url).hostname);

/** The WebSocket address for bridges of a hub. */
export const bridgeUrlOf = (hub: string): string => `${new URL(hub).origin.replace(/^http/, 'ws')}/bridge`;

/**
 * Reads a typed hub address: a host, a host with a port, or a URL. Protocol and port default to those of `page`.
 * Undefined if the text is no address or a loopback address.
 */
export const readHub = (typed: string, page: string): string | undefined => {
  const { protocol, port } = new URL(page);
  const text = typed.trim();
  const whole = text.includes('://') ? text : `${protocol}//${text}`;
  if (text === '' || /\s/.test(text) || !URL.canParse(whole)) return undefined;
  const url = new URL(whole);
  if (!/^https?:$/.test(url.protocol)) return undefined;
  if (!text.includes('://') && !/:\d+$/.test(text)) url.port = port;
  return isLoopback(url.href) ? undefined : url.origin;
};
