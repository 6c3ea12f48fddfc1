const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether only programs of the same machine reach this address. */
export const isLoopback = (url: string): boolean => LOOPBACK.test(new URL(url).hostname);

/** Where bridges connect to the hub at this address. */
export const bridgeUrlOf = (hub: string): string => `${new URL(hub).origin.replace(/^http/, 'ws')}/bridge`;

/**
 * The address of the hub as a person types it: a name or an IP address, with a port or without, or the whole; what is
 * missing is that of the `page`. Undefined if it is none, or one of this machine only.
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
