import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '../clients/typescript/webhook.ts';
import { until } from '../tests/kit/until.ts';
import type { Ask } from './books.ts';

/** One of so many posts is refused, and one is taken without an answer: both must come again. */
const REFUSED = 17;
const CUT = 29;
/** An event that has not come by then is lost. */
const ARRIVED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 100;

type Kept = { seq: number; id: string; subject: string; revision: number; body: string };

/** Rows whose events the hub has not made yet. A server that is away owes its event for a while. */
const OWING = `SELECT (SELECT count(*) FROM commands WHERE outbox > 0 AND (batch_id IS NULL OR outbox > 3))
  + (SELECT count(*) FROM batches WHERE outbox > 0) + (SELECT count(*) FROM players WHERE outbox > 0)
  + (SELECT count(*) FROM shop_lines WHERE outbox % 2 = 1) AS owing`;
const KEPT = 'SELECT seq, id, subject, revision, body FROM events WHERE seq >';
const isTold = (type: string, subject: string): string =>
  `EXISTS (SELECT 1 FROM events e WHERE e.project_id = o.project_id AND e.type = '${type}' AND e.subject = ${subject})`;
/** Ends that no event tells. */
const UNTOLD = `SELECT id FROM commands o WHERE batch_id IS NULL AND settled_at IS NOT NULL AND status <> 'indeterminate'
    AND NOT ${isTold('command.settled', 'o.id')}
  UNION ALL SELECT id FROM commands o WHERE status = 'indeterminate' AND NOT ${isTold('command.indeterminate', 'o.id')}
    AND NOT ${isTold('command.settled', 'o.id')}
  UNION ALL SELECT id FROM batches o WHERE status = 'settled' AND NOT ${isTold('batch.settled', 'o.id')}
  UNION ALL SELECT id FROM shop_lines o WHERE state = 'delivered' AND NOT ${isTold('shop.line.delivered', 'o.id')}`;
/** Events about what does not exist. The line of a refund that comes first goes when its payment has come. */
const GHOSTS = ['commands', 'batches', 'shop_lines', 'servers'].reduce(
  (statement, table) => `${statement} AND NOT EXISTS (SELECT 1 FROM ${table} o WHERE o.id = e.subject)`,
  `SELECT id, subject, body FROM events e
    WHERE body NOT LIKE '%"unknown_order"%'
    AND NOT EXISTS (SELECT 1 FROM players o WHERE o.server_id || '/' || o.identifier = e.subject)`,
);

type Post = (path: string, method: string, body: object) => Promise<{ id: string; secret: string } | undefined>;

/** Requests about webhooks; undefined: there was no good answer. */
export const webhookPost =
  ({ address, key }: { address: string; key: string }): Post =>
  async (path, method, body) => {
    const answer = await fetch(`${address}/api/v2/webhooks${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    }).catch(() => undefined);
    return answer?.ok ? ((await answer.json()) as { id: string; secret: string }) : undefined;
  };

/**
 * A webhook and its receiver, which counts: each event that the hub keeps arrives at least once and always with the bytes
 * that are kept, and each end has an event.
 */
export const openReceiver = async (post: Post, ask: Ask) => {
  let secret = '';
  let posts = 0;
  let bad: string[] = [];
  /** The bytes of each event that came, and those that were answered with success. */
  const bodies = new Map<string, string>();
  const taken = new Set<string>();
  const revisions = new Map<string, number>();
  let last = 0;

  const take = async (headers: Record<string, string | string[] | undefined>, body: string): Promise<string> => {
    const id = String(headers['webhook-id']);
    await verifyWebhook({ headers, body }, secret).catch((error: Error) => bad.push(`forged: ${id}: ${error.message}`));
    if ((bodies.get(id) ?? body) !== body) bad.push(`changed: ${id} came as ${bodies.get(id)} and as ${body}`);
    bodies.set(id, body);
    return id;
  };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    // A hub that dies breaks off.
    request.on('error', () => undefined).on('data', (part: Buffer) => parts.push(part));
    await once(request, 'close');
    if (!request.complete) return;
    const id = await take(request.headers, Buffer.concat(parts).toString());
    posts += 1;
    if (posts % CUT === 0) return void response.destroy();
    const isTaken = posts % REFUSED !== 0;
    if (isTaken) taken.add(id);
    response.writeHead(isTaken ? 204 : 503).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const made = await post('', 'POST', { url });
  if (made === undefined) throw new Error('the hub refused the webhook');
  secret = made.secret;

  const fresh = async (): Promise<Kept[]> => (await ask(`${KEPT} ${last} ORDER BY seq`)) as Kept[];
  const isWhole = async (): Promise<boolean> => {
    const [{ owing }] = (await ask(OWING)) as [{ owing: number }];
    if (Number(owing) > 0) return false;
    if ((await fresh()).every(({ id }) => taken.has(id))) return true;
    // What failed is due at once.
    await post(`/${made.id}`, 'PATCH', { on: true });
    return false;
  };
  const judge = (kept: readonly Kept[]): string[] => {
    const found: string[] = [];
    for (const { id, subject, revision, body } of kept) {
      if (!taken.has(id)) found.push(`lost: the event ${id} of ${subject} has not arrived`);
      if ((bodies.get(id) ?? body) !== body) found.push(`changed: ${id} is ${body} and came as ${bodies.get(id)}`);
      const before = revisions.get(subject) ?? 0;
      if (Number(revision) <= before) found.push(`fell: ${subject} has revision ${revision} after ${before}`);
      revisions.set(subject, Number(revision));
    }
    return found;
  };

  return {
    counts: () => ({ posts, events: taken.size }),
    /** Waits until all that has happened has arrived; returns what is wrong. */
    told: async (): Promise<string[]> => {
      const limits = { withinMs: ARRIVED_WITHIN_MS, everyMs: LOOK_EVERY_MS };
      await until(isWhole, 'all events have arrived', limits).catch(() => bad.push('lost: rows still owe events'));
      const kept = await fresh();
      const untold = (await ask(UNTOLD)) as { id: string }[];
      const ghosts = (await ask(GHOSTS)) as { id: string; subject: string; body: string }[];
      const known = new Set(((await ask('SELECT id FROM events')) as { id: string }[]).map(({ id }) => id));
      const found = [
        ...bad,
        ...judge(kept),
        ...untold.map(({ id }) => `untold: no event has the end of ${id}`),
        ...ghosts.map(({ id, subject, body }) => `ghost: ${id} tells of ${subject}, which does not exist: ${body}`),
        ...[...bodies.keys()].filter((id) => !known.has(id)).map((id) => `ghost: ${id} came and is not kept`),
      ];
      last = Number(kept.at(-1)?.seq ?? last);
      bad = [];
      return found;
    },
    close: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
};
export type Receiver = Awaited<ReturnType<typeof openReceiver>>;
