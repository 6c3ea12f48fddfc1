import { connect, type Msg, NoRespondersError, RequestError } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { type Bus, type BusMessage, type Handlers, hear } from './bus.ts';

const CONNECT_WITHIN_MS = 5_000;
const RECONNECT_EVERY_MS = 250;
/** A NATS server that is silent for two such intervals counts as lost. */
const PING_EVERY_MS = 2_000;
/** Largest batch of messages: a NATS server takes 1 MiB, and one message may have 256 KiB. */
const LETTER_CHARS = 65_536;
/** Time to send the last messages when a node stops. Without it, a lost server would block the stop. */
const DRAINED_WITHIN_MS = 2_000;

/** The client reads only host and port of an address; user, password and TLS are separate options. */
const optionsOf = (url: string) => {
  const urls = url.split(',').map((address) => new URL(address.includes('://') ? address : `nats://${address}`));
  const { username: user, password: pass } = urls.find(({ username }) => username !== '') ?? {
    username: '',
    password: '',
  };
  const [name, secret] = [decodeURIComponent(user), decodeURIComponent(pass)];
  return {
    servers: urls.map(({ host }) => host),
    ...(name !== '' && (secret === '' ? { token: name } : { user: name, pass: secret })),
    // Without it, the server decides whether TLS is used.
    ...(urls.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
  };
};

const hasNoResponders = (error: unknown): boolean =>
  error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders());

/**
 * Messages between the nodes of a cluster over NATS. Nodes of another `cluster` on the same server do not receive them.
 * Lost connections are opened again without limit. @throws Error
 */
export const connectNats = async ({
  url,
  cluster,
  name,
  log,
}: {
  url: string;
  cluster: string;
  name: string;
  log: Logger;
}): Promise<Bus> => {
  const allNodes = `causeway.${cluster}.all`;
  const subjectOf = (node: string): string => `causeway.${cluster}.node.${node}`;
  const connection = await connect({
    ...optionsOf(url),
    name: `causeway ${name}`,
    noEcho: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_EVERY_MS,
    reconnectJitter: RECONNECT_EVERY_MS,
    pingInterval: PING_EVERY_MS,
    maxPingOut: 2,
    timeout: CONNECT_WITHIN_MS,
  });
  let isUp = true;
  let lost = (): void => undefined;

  const watch = async (): Promise<void> => {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect' || type === 'staleConnection') {
        isUp = false;
        log.warn('NATS is not reachable; trying again');
      } else if (type === 'reconnect') {
        isUp = true;
        lost();
        log.info('NATS is reachable again');
      } else if (type === 'slowConsumer') lost();
    }
  };
  watch().catch((error: unknown) => log.error({ err: error }, 'NATS status watcher stopped'));

  const failed = (error: unknown): void => log.error({ err: error }, 'a message from another node failed');
  const receive = async (handlers: Handlers, message: Msg): Promise<void> => {
    const told: unknown = message.json();
    if (Array.isArray(told)) {
      for (const each of told) hear(handlers, each).catch(failed);
      return;
    }
    const answer = await hear(handlers, told);
    if (message.reply !== undefined && message.reply !== '') message.respond(JSON.stringify(answer ?? null));
  };

  /** Messages of this turn of the event loop, by subject: one NATS message for all costs less than one for each. */
  const letters = new Map<string, string[]>();
  let letterChars = 0;
  const post = (): void => {
    const due = [...letters];
    letters.clear();
    letterChars = 0;
    // Messages published during an interruption would be sent later, when they are useless.
    if (!isUp || connection.isClosed() || connection.isDraining()) return;
    try {
      for (const [subject, texts] of due) connection.publish(subject, `[${texts.join(',')}]`);
    } catch (error) {
      // The server's size limit is lower. The rows have the same facts, a little later.
      log.error({ err: error }, 'messages to other nodes were dropped');
    }
  };
  const write = (subject: string, message: BusMessage): void => {
    if (!isUp) return;
    if (letters.size === 0) setImmediate(post);
    const text = JSON.stringify(message);
    const letter = letters.get(subject);
    if (letter === undefined) letters.set(subject, [text]);
    else letter.push(text);
    letterChars += text.length;
    if (letterChars > LETTER_CHARS) post();
  };

  return {
    engine: 'nats',
    isUp: () => isUp,
    ask: async (node, message, withinMs) => {
      if (!isUp) return 'no_responders';
      try {
        const answer = await connection.request(subjectOf(node), JSON.stringify(message), { timeout: withinMs });
        return { answer: answer.json() };
      } catch (error) {
        return hasNoResponders(error) ? 'no_responders' : 'timeout';
      }
    },
    tell: (node, message) => write(subjectOf(node), message),
    spread: (message) => write(allNodes, message),
    listen: (node, given) => {
      lost = given.lost;
      const callback = (error: Error | null, message: Msg): void => {
        if (error === null) receive(given.handlers, message).catch(failed);
      };
      for (const subject of [subjectOf(node), allNodes]) connection.subscribe(subject, { callback });
    },
    close: async () => {
      if (connection.isClosed()) return;
      post();
      if (!isUp) return connection.close();
      const late = setTimeout(() => connection.close().catch(() => undefined), DRAINED_WITHIN_MS);
      await Promise.race([connection.drain(), connection.closed()]).finally(() => clearTimeout(late));
    },
  };
};
