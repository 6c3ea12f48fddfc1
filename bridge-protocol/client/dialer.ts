import { afterClose, CLOSE_CODES, parseCloseReason } from '../wire/close-codes.ts';
import type { BridgeMessage, HubMessage, MessageOf } from '../wire/messages.ts';
import { Connection, type ConnectionEnd, Sleepers } from './connection.ts';
import type { BridgeOptions, BridgeState, BridgeTimings, Log } from './options.ts';
import type { Session } from './session.ts';

/** The next step. `stop` without a delay is final. */
type NextStep = { do: 'reconnect'; afterMs: number } | { do: 'stop'; probeAfterMs?: number };

const MAX_DELAY_MS = 60 * 60 * 1000;
const DEFAULT_WAIT_MS = 30_000;
const RETRY_JITTER_MS = 1_000;
/** A stopped bridge adds up to this share of the delay, so that bridges do not come back together. */
const PROBE_JITTER = 0.25;

/** The reason for the end of the connection, as text. */
const describeEnd = (end: ConnectionEnd): string => {
  if (end.kind === 'refused') return `refused with HTTP ${end.status}: ${end.body.slice(0, 300)}`;
  const name = parseCloseReason(end.reason).code ?? end.reason;
  return name === '' ? `closed with ${end.code}` : `closed with ${end.code} (${name})`;
};

/**
 * When to come back. Delays grow from `baseMs` to `maxMs`, drawn at random from zero on so that a thousand bridges do
 * not come back together, and start over after a connection that was stable.
 */
const createReconnect = (
  { reconnectBaseMs: baseMs, reconnectMaxMs: maxMs, stoppedProbeMs: probeMs }: BridgeTimings,
  random: () => number,
) => {
  let attempts = 0;

  const backoff = (): number => {
    const delay = random() * Math.min(maxMs, baseMs * 2 ** attempts);
    attempts = Math.min(attempts + 1, 30);
    return delay;
  };

  const stopFor = (told: number | undefined): NextStep => {
    const probeAfterMs = told === undefined ? probeMs : Math.min(told, MAX_DELAY_MS) * (1 + random() * PROBE_JITTER);
    return { do: 'stop', probeAfterMs };
  };

  const afterClosed = (code: number, reason: string): NextStep => {
    const { r } = parseCloseReason(reason);
    const told = r === undefined ? undefined : Math.min(r, MAX_DELAY_MS);
    switch (afterClose(code)) {
      case 'stop':
        return code === CLOSE_CODES.replaced ? { do: 'stop' } : stopFor(code === CLOSE_CODES.disabled ? r : undefined);
      case 'wait':
        return { do: 'reconnect', afterMs: told ?? DEFAULT_WAIT_MS };
      case 'reconnect':
        if (code === CLOSE_CODES.shutting_down && told !== undefined) {
          return { do: 'reconnect', afterMs: random() * told };
        }
        return { do: 'reconnect', afterMs: backoff() };
    }
  };

  const afterRefused = (status: number, retryAfterMs: number | undefined): NextStep => {
    if (status === 403) return stopFor(retryAfterMs);
    if (status === 400 || status === 401) return stopFor(undefined);
    if ((status === 429 || status === 503) && retryAfterMs !== undefined) {
      const jitter = Math.max(RETRY_JITTER_MS, Math.min(maxMs, retryAfterMs / 2));
      return { do: 'reconnect', afterMs: Math.min(retryAfterMs, MAX_DELAY_MS) + random() * jitter };
    }
    return { do: 'reconnect', afterMs: backoff() };
  };

  return {
    stable: (): void => {
      attempts = 0;
    },
    after: (end: ConnectionEnd): NextStep =>
      end.kind === 'closed' ? afterClosed(end.code, end.reason) : afterRefused(end.status, end.retryAfterMs),
  };
};

/**
 * Keeps one connection to the hub: opens it, replaces it when the hub drains, comes back when it ends. At most two
 * exist at a time, the welcomed one and the one being opened; frames of any other are ignored.
 */
export const createDialer = (parts: {
  openSocket: BridgeOptions['openSocket'];
  timings: BridgeTimings;
  now: () => number;
  random: () => number;
  log: Log;
  hello: () => BridgeMessage;
  openSession: (
    connection: Connection,
    welcome: MessageOf<HubMessage, 'welcome'>,
    onDrain: (withinMs: number) => void,
  ) => Session;
  onState: (state: BridgeState, detail: string) => void;
  /** Called when data collected for the welcomed connection is void. */
  onLeave: () => void;
}) => {
  const { openSocket, timings, now, random, log, hello, openSession, onState, onLeave } = parts;
  const reconnect = createReconnect(timings, random);
  const endings = new Sleepers();
  let session: Session | undefined;
  let attempt: Connection | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  const openAfter = (delayMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(open, delayMs);
  };

  const open = (): void => {
    timer = undefined;
    if (attempt !== undefined || isClosed) return;
    const connection = new Connection({
      openSocket,
      silenceMs: timings.silenceMs,
      now,
      log,
      onOpen: () => {
        connection.send(hello());
        if (session === undefined) onState('connected', 'hello was sent');
      },
      onMessage: (message) => receive(connection, message),
      onEnd: (end) => ended(connection, end),
    });
    attempt = connection;
    if (session === undefined) onState('connecting', '');
    connection.open();
  };

  const receive = (connection: Connection, message: HubMessage): void => {
    if (connection === session?.connection) session.receive(message);
    else if (connection !== attempt) return;
    else if (message.type === 'welcome') welcomed(connection, message);
    else if (message.type === 'ping') connection.send({ type: 'pong', n: message.n, now: now() });
    else if (message.type === 'error') log('warn', `The hub complains: ${message.code}: ${message.message}`);
  };

  const leave = (): void => {
    session?.close();
    session?.connection.abandon('another connection was welcomed');
    session = undefined;
    onLeave();
  };

  const dropAttempt = (): void => {
    clearTimeout(timer);
    timer = undefined;
    attempt?.abandon('not needed any more');
    attempt = undefined;
  };

  const welcomed = (connection: Connection, welcome: MessageOf<HubMessage, 'welcome'>): void => {
    leave();
    clearTimeout(timer);
    timer = undefined;
    attempt = undefined;
    session = openSession(connection, welcome, drained);
    onState('welcomed', welcome.session);
    session.begin();
  };

  /** Keeps the process alive: a supervisor would restart it as a new instance, which would replace the other bridge. */
  const stayAlive = (): void => {
    timer = setTimeout(stayAlive, timings.stoppedProbeMs);
  };

  /** Make before break: the next connection is opened while this one goes on. */
  const drained = (withinMs: number): void => {
    if (timer === undefined && attempt === undefined) openAfter(random() * withinMs);
  };

  /** Removes an ended connection; false if it was neither the welcomed one nor the one being opened. */
  const remove = (connection: Connection): boolean => {
    if (connection === attempt) {
      attempt = undefined;
      return true;
    }
    if (connection !== session?.connection) return false;
    if (now() - session.since >= timings.stableMs) reconnect.stable();
    leave();
    endings.wake();
    return true;
  };

  const ended = (connection: Connection, end: ConnectionEnd): void => {
    if (!remove(connection) || isClosed) return;
    const detail = describeEnd(end);
    log('warn', `The connection to the hub was ${detail}.`);
    // The next connection, if it is being opened, goes on unless the hub has stopped this bridge for good.
    if (attempt !== undefined && !(end.kind === 'closed' && afterClose(end.code) === 'stop')) return;
    const next = reconnect.after(end);
    if (next.do === 'reconnect') {
      openAfter(next.afterMs);
      if (session === undefined) onState('waiting', `${detail}; next attempt in ${Math.round(next.afterMs)} ms`);
    } else if (session === undefined) {
      dropAttempt();
      const { probeAfterMs } = next;
      if (probeAfterMs === undefined) {
        stayAlive();
        return onState('stopped', detail);
      }
      openAfter(probeAfterMs);
      onState('stopped', `${detail}; looks again in ${Math.round(probeAfterMs)} ms`);
    }
  };

  return {
    open,
    session: (): Session | undefined => session,
    /** No further connection is opened; the welcomed one goes on until `cut`. */
    close: (): void => {
      isClosed = true;
      dropAttempt();
    },
    /** Resolves when the welcomed connection has ended, at the latest after `withinMs`. */
    ended: async (withinMs: number): Promise<void> => {
      if (session !== undefined) await endings.sleep(withinMs);
    },
    cut: (): void => session?.connection.cut('stopped'),
  };
};
