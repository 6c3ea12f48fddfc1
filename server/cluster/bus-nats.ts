import { connect, type Msg, NoRespondersError, RequestError } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { type Bus, type BusMessage, encodeBusMessage, type Handlers, hear } from './bus.ts';

const CONNECT_WITHIN_MS = 5_000;
const RECONNECT_EVERY_MS = 250;
/** A server that says nothing for so long, twice, is not there. */
const PING_EVERY_MS = 2_000;
/** More is not collected: a NATS server takes a megabyte at once, and a message may be a quarter of one. */
const LETTER_CHARS = 65_536;
/** For what is under way when a node stops; a server that goes away meanwhile would be waited for forever. */
const DRAINED_WITHIN_MS = 2_000;

/** What the client reads of an address is its host and port: who asks and whether with TLS is told beside it. */
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
    // Without it, TLS is what the server makes of it.
    ...(urls.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
  };
};

const isNobody = (error: unknown): boolean =>
  error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders());

/**
 * The nodes of a cluster, over a NATS server; those of another `cluster` on the same server hear nothing of them. Lost
 * connections come back by themselves, for ever. @throws Error
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
  const everybody = `causeway.${cluster}.all`;
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
        log.warn('the bus is not reachable; trying again');
      } else if (type === 'reconnect') {
        isUp = true;
        lost();
        log.info('the bus is reachable again');
      } else if (type === 'slowConsumer') lost();
    }
  };
  watch().catch((error: unknown) => log.error({ err: error }, 'the bus is watched no more'));

  const failed = (error: unknown): void => log.error({ err: error }, 'a message of another node failed');
  const receive = async (handlers: Handlers, message: Msg): Promise<void> => {
    const told: unknown = message.json();
    if (Array.isArray(told)) {
      for (const each of told) hear(handlers, each).catch(failed);
      return;
    }
    const answer = await hear(handlers, told);
    if (message.reply !== undefined && message.reply !== '') message.respond(JSON.stringify(answer ?? null));
  };

  /** What this turn of the loop has told so far, by subject: a letter costs both sides more than what is in it. */
  const letters = new Map<string, string[]>();
  let letterChars = 0;
  const post = (): void => {
    const due = [...letters];
    letters.clear();
    letterChars = 0;
    // What is published while the connection is away would be sent when it is back: late hints help nobody.
    if (!isUp || connection.isClosed() || connection.isDraining()) return;
    try {
      for (const [subject, texts] of due) connection.publish(subject, `[${texts.join(',')}]`);
    } catch (error) {
      // A server that takes less than this: rows say the same, a little later.
      log.error({ err: error }, 'what other nodes were told is lost');
    }
  };
  const write = (subject: string, message: BusMessage): void => {
    if (!isUp) return;
    if (letters.size === 0) setImmediate(post);
    const text = encodeBusMessage(message);
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
      if (!isUp) return 'nobody';
      try {
        const answer = await connection.request(subjectOf(node), encodeBusMessage(message), { timeout: withinMs });
        return { answer: answer.json() };
      } catch (error) {
        return isNobody(error) ? 'nobody' : 'silence';
      }
    },
    tell: (node, message) => write(subjectOf(node), message),
    spread: (message) => write(everybody, message),
    listen: (node, given) => {
      lost = given.lost;
      const callback = (error: Error | null, message: Msg): void => {
        if (error === null) receive(given.handlers, message).catch(failed);
      };
      for (const subject of [subjectOf(node), everybody]) connection.subscribe(subject, { callback });
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
