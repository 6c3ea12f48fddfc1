import type { IncomingMessage } from 'node:http';
import { createSetup, type SetupStep } from '../admin/projects.ts';
import { clientAddress } from '../auth/limits.ts';
import { HubError } from '../platform/errors.ts';
import type { RestDeps } from './context.ts';
import { createPanelCookie } from './identify.ts';

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
/** A proxy or a tunnel has sent the request on: then its address says nothing about the caller's. */
const FORWARDING =
  /^(?:forwarded.*|via|cdn-loop|x-(?:forwarded|original|envoy)\b.*|(?:.*-)?(?:real|client|connecting|remote|originating)-(?:ip|addr))$/;

/**
 * The setup of a hub for callers over HTTP. From this machine or over TLS only, because the answer of the last step
 * has secrets. Wrong links and cookies count as wrong secrets of their address.
 */
export const createSetupDoor = ({
  store,
  config,
  credentials,
  servers,
  forgetKeys,
}: Pick<RestDeps, 'store' | 'config' | 'credentials' | 'servers' | 'forgetKeys'>) => {
  const setup = createSetup({ store, servers, forgetKeys });
  const cookie = createPanelCookie(config, 'causeway_setup');

  const isPrivate = ({ headers, socket }: IncomingMessage): boolean => {
    if (config.TRUST_PROXY > 0 && headers['x-forwarded-proto'] === 'https') return true;
    return LOOPBACK.test(socket.remoteAddress ?? '') && !Object.keys(headers).some((name) => FORWARDING.test(name));
  };

  return {
    setup,
    cookie,
    assertPrivate: (request: IncomingMessage): void => {
      if (!isPrivate(request)) throw new HubError('setup_not_private');
    },
    /** A page of another site may make the browser send the cookie. */
    assertOwnOrigin: ({ headers: { origin, host } }: IncomingMessage): void => {
      const isOwn = origin === undefined || origin === config.PUBLIC_URL || origin.replace(/^https?:\/\//, '') === host;
      if (!isOwn) throw new HubError('origin_not_allowed');
    },
    /** Runs a step, and counts a link or a cookie that does not work. */
    counted: async <T>(request: IncomingMessage, work: () => Promise<T>): Promise<T> => {
      const address = clientAddress(request, config.TRUST_PROXY);
      credentials.assertNotBlocked(address);
      try {
        return await work();
      } catch (error) {
        if (error instanceof HubError && error.code === 'setup_link_gone') credentials.countWrong(address);
        throw error;
      }
    },
    /** The step of this browser. Cookies from elsewhere, or of a hub that is set up, are not looked up. */
    stepOf: async (request: IncomingMessage): Promise<SetupStep | undefined> => {
      const token = cookie.tokenOf(request);
      if (token === undefined || setup.isKnownDone() || !isPrivate(request)) return undefined;
      const address = clientAddress(request, config.TRUST_PROXY);
      credentials.assertNotBlocked(address);
      const step = await setup.stepOf(token);
      if (step === undefined && !setup.isKnownDone()) credentials.countWrong(address);
      return step;
    },
  };
};
export type SetupDoor = ReturnType<typeof createSetupDoor>;
