import type { IncomingMessage } from 'node:http';
import type { Config } from '../platform/config.ts';

const TOKEN = /^[A-Za-z0-9_]{1,128}$/;

/** A cookie of the panel's pages. Where the hub is reached over TLS, only the `__Host-` cookie counts. */
export const createPanelCookie = (
  { TRUST_PROXY, PUBLIC_URL }: Pick<Config, 'TRUST_PROXY' | 'PUBLIC_URL'>,
  plainName: 'causeway_panel' | 'causeway_setup' = 'causeway_panel',
) => {
  /** Browsers accept a cookie with this prefix only over TLS, from this host, for all paths. */
  const secureName = `__Host-${plainName}`;
  const pattern = new RegExp(`(?:^|; *)((?:__Host-)?${plainName})=([^;]*)`, 'g');
  const isSecure = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
    (TRUST_PROXY > 0 && headers['x-forwarded-proto'] === 'https') || PUBLIC_URL?.startsWith('https:') === true;

  return {
    /** The token of the cookie; undefined if there is none, or if several leave open which one the hub has set. */
    tokenOf: (request: Pick<IncomingMessage, 'headers'>): string | undefined => {
      const { cookie } = request.headers;
      if (cookie === undefined) return undefined;
      const name = isSecure(request) ? secureName : plainName;
      const values = [...cookie.matchAll(pattern)]
        .filter(([, found]) => found === name)
        .map(([, , value]) => value ?? '');
      const [token = ''] = values;
      return values.length === 1 && TOKEN.test(token) ? token : undefined;
    },
    /** The header that sets it; an empty value and age 0 delete it. */
    header: (request: Pick<IncomingMessage, 'headers'>, value: string, maxAgeMs: number): string => {
      const attributes = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeMs / 1000}`;
      return isSecure(request)
        ? `${secureName}=${value}; ${attributes}; Secure`
        : `${plainName}=${value}; ${attributes}`;
    },
  };
};
