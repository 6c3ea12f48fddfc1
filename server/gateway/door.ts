import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { SUBPROTOCOL } from '../../bridge-protocol/index.ts';
import { hashSecret } from '../auth/credentials.ts';
import { clientAddress } from '../auth/limits.ts';
import { addressOf, type Router } from '../cluster/router.ts';
import type { GatewayDeps } from '../parts/parts.ts';
import { ERRORS, type ErrorCode, HubError } from '../platform/errors.ts';
import { type Tally, Windows } from '../platform/windows.ts';
import { DISABLED_FOR_MS, type Identity } from './socket.ts';

/** Pause between batches; requests admitted together share one commit. */
const EVERY_MS = 5;
/** Batch size: the work of one batch takes a few milliseconds. */
const AT_ONCE = 32;

/**
 * Admits a single request at once, and many in batches in their order, so that other work runs in between.
 */
export const createAdmissionBatches = () => {
  const waiting: (() => void)[] = [];
  let isRunning = false;

  const admitBatch = (): void => {
    const batch = waiting.splice(0, AT_ONCE);
    isRunning = batch.length > 0;
    if (isRunning) setTimeout(admitBatch, EVERY_MS);
    for (const admit of batch) admit();
  };

  /** Resolves when the caller is admitted. */
  return (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (!isRunning) admitBatch();
    });
};

/** A caller that does not read its refusal in time is cut off. */
const REFUSED_WITHIN_MS = 10_000;

/** Extra room, because a reconnecting bridge may still have its old connection. */
const CONNECTIONS_PER_SERVER = 2;

/** A refusal before the upgrade: an HTTP response, which browsers and proxies can read. */
export type Refusal = { code: ErrorCode; detail: string; retryAfterS?: number | undefined };

const refuse = (code: ErrorCode, detail: string, retryAfterS?: number): Refusal => ({
  code,
  detail,
  retryAfterS,
});

/** The refusal of a hub that stops. In a cluster, the bridge may try the next node at once. */
export const drainingOf = ({ engine }: Pick<Router, 'engine'>): Refusal =>
  refuse('draining', 'The hub is about to stop.', engine === 'nats' ? 1 : 5);

/** Writes the refusal as problem+json and ends the socket. */
export const writeRefusal = (socket: Duplex, refusal: Refusal): void => {
  const { code, detail, retryAfterS } = refusal;
  const { status, title } = ERRORS[code];
  const type = `/docs/errors#${code}`;
  const more = code === 'unsupported_protocol' ? { supported: [SUBPROTOCOL] } : {};
  const body = JSON.stringify({ type, title, status, detail, code, ...more });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Connection: close',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(retryAfterS === undefined ? [] : [`Retry-After: ${retryAfterS}`]),
    ...(status === 401 ? ['WWW-Authenticate: Bearer'] : []),
  ];
  // Node leaves the socket half open until the other side closes it, which may never happen.
  socket.once('finish', () => socket.destroy());
  const timer = setTimeout(() => socket.destroy(), REFUSED_WITHIN_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

const offeredProtocols = (request: IncomingMessage): string[] =>
  (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());

const bearerToken = (request: IncomingMessage): string => {
  const match = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '');
  return match?.[1] ?? '';
};

/** Accepts or refuses an upgrade request. Checks before the token need no look-up. */
export const createDoor = (
  deps: GatewayDeps & {
    /** The reason to refuse every bridge: the hub is about to stop. */
    closed: () => Refusal | undefined;
    /** The open connections of this node, by project. */
    open: Pick<Tally, 'of' | 'total'>;
  },
) => {
  const { config, tuning, credentials, closed, open } = deps;
  /** Admissions of the whole node. */
  const admissions = new Windows({ ms: 1_000, names: 1 });
  const connects = new Windows();

  const precheck = (request: IncomingMessage): Refusal | undefined => {
    const path = (request.url ?? '').split('?', 1)[0];
    if (path !== '/bridge') return refuse('not_found', 'Bridges connect to /bridge.');
    if (!offeredProtocols(request).includes(SUBPROTOCOL)) {
      return refuse('unsupported_protocol', `Offer the WebSocket subprotocol ${SUBPROTOCOL}.`);
    }
    if (request.headers.origin !== undefined) {
      return refuse('origin_not_allowed', 'Bridges send no Origin header; browsers cannot be bridges.');
    }
    const reason = closed();
    if (reason !== undefined) return reason;
    if (open.total >= config.MAX_BRIDGES) return refuse('node_full', 'This node holds all the bridges it may.', 30);
    return undefined;
  };

  const authenticate = async (request: IncomingMessage): Promise<Identity | Refusal> => {
    const token = bearerToken(request);
    const { server, project } = await credentials.authenticateBridge(token, clientAddress(request, config.TRUST_PROXY));
    if (server.deletingAt !== null) return refuse('invalid_token', 'This server is being deleted.');
    if (server.disabled || project.disabled) {
      return refuse('server_disabled', 'This server or its project is disabled.', DISABLED_FOR_MS / 1_000);
    }
    if (open.of(project.id) >= CONNECTIONS_PER_SERVER * project.maxServers) {
      return refuse('node_full', 'This project holds all the connections it may.', 30);
    }
    // After the token, so that requests without a valid token cannot use up the admissions.
    if (admissions.add('').count > config.ADMISSIONS_PER_SECOND)
      return refuse('node_full', 'Too many bridges connect at once.', 1 + Math.floor(Math.random() * 4));
    if (connects.add(addressOf(project.id, server.id)).count > tuning.connectsPerMinute) {
      return refuse('rate_limited', 'This server connects too often.', 10);
    }
    const tokenHash = hashSecret(token);
    const isReplaced = server.previousTokenHash === tokenHash;
    return {
      projectId: project.id,
      projectSlug: project.slug,
      serverId: server.id,
      tokenHash,
      graceEndsAt: (isReplaced ? server.previousTokenExpiresAt : null) ?? undefined,
    };
  };

  return async (request: IncomingMessage) => {
    const refusal = precheck(request);
    if (refusal !== undefined) return refusal;
    try {
      return await authenticate(request);
    } catch (error) {
      if (!(error instanceof HubError)) return refuse('store_unavailable', 'The hub cannot look tokens up.', 2);
      if (error.code === 'rate_limited') return refuse(error.code, error.message, error.extras.retryAfterS ?? 60);
      return refuse('invalid_token', 'Send a valid bridge token: Authorization: Bearer cwb_…');
    }
  };
};
