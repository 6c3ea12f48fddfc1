import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EventRow, NewEvent } from '../../db/queries/events.ts';
import type { Store } from '../../db/store.ts';
import { atEnd } from './ends.ts';

export type Got = { id: string; headers: IncomingHttpHeaders; text: string; path: string };
/** What the receiver answers; `hang`: nothing. */
type Reply = { status: number; headers?: Record<string, string>; text?: string } | 'hang';

/**
 * A receiver of webhooks on loopback. What it takes for a good signature was checked with the package standardwebhooks 1.1.1
 * (tests/server/webhooks/signature.long.test.ts).
 */
export const startReceiver = async (reply: (got: Got, nth: number) => Reply = () => ({ status: 204 })) => {
  const posts: Got[] = [];
  const hanging = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.once('end', () => {
      const { headers, url: path = '' } = request;
      const got = { id: String(headers['webhook-id']), headers, text: Buffer.concat(parts).toString(), path };
      posts.push(got);
      const answer = reply(got, posts.length);
      if (answer === 'hang') {
        hanging.add(response);
        return;
      }
      response.writeHead(answer.status, answer.headers).end(answer.text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    posts,
    ids: () => posts.map(({ id }) => id),
    /** Ends the connections of all that hang. */
    letGo: (): void => {
      for (const response of hanging) response.destroy();
      hanging.clear();
    },
  };
};

/** How many signatures of a post a secret makes. */
export const signaturesBy = (secret: string, { id, headers, text }: Got): number => {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${id}.${String(headers['webhook-timestamp'])}.${text}`;
  const wanted = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return String(headers['webhook-signature'])
    .split(' ')
    .filter((each) => each === wanted).length;
};

let told = 0;
/** An event as the hub keeps it. */
export const eventOf = (projectId: string, changes: Partial<NewEvent> = {}): NewEvent => {
  told += 1;
  const id = `evt_${told}`;
  const event = {
    id,
    projectId,
    serverId: 'main',
    type: 'command.settled',
    subject: `cmd_${told}`,
    revision: 1,
  } as const;
  const { type, serverId, revision } = event;
  const body = JSON.stringify({
    id,
    type,
    at: '2026-11-20T12:00:00.000Z',
    serverId,
    revision,
    data: { id: `cmd_${told}` },
  });
  return { ...event, at: Date.now(), body, ...changes };
};

/** Tells events of a project; returns their ids. */
export const tell = async (
  { events }: Pick<Store, 'events'>,
  projectId: string,
  list: readonly Partial<EventRow>[] = [{}],
): Promise<string[]> => {
  const rows = list.map((changes) => eventOf(projectId, changes));
  await events.tell(projectId, rows, []);
  return rows.map(({ id }) => id);
};
