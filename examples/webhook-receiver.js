// Receives the hub's webhooks and writes each payment into a file, once.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { verifyWebhook, WebhookRefused } from '@causewayhub/client';

const { WEBHOOK_SECRET, FILE = 'payments.jsonl', PORT = '3002' } = process.env;
if (!WEBHOOK_SECRET) throw new Error('Set WEBHOOK_SECRET to the secret of the webhook, whsec_…');

const MOST_BYTES = 100_000;

/**
 * What has been dealt with. An event may come twice, after a restored backup of the hub even under another id: what
 * counts is the command and how it ended. A number keeps the newest state, because events may come in another order.
 * @type {Map<string, number>}
 */
const done = new Map();
const lines = existsSync(FILE) ? readFileSync(FILE, 'utf8').split('\n').filter(Boolean) : [];
for (const line of lines) {
  const { end, command, revision } = JSON.parse(line);
  done.set(end, revision).set(command, revision);
}

/** @param {import('@causewayhub/client').WebhookEvent} event */
const take = ({ type, revision, data }) => {
  if (type !== 'command.settled' || data.name !== 'money') return;
  const command = data.id;
  const end = `${command} ${data.status}`;
  if (done.has(end) || revision < (done.get(command) ?? 0)) return;
  // Written before the answer: a crash makes the hub send it again.
  appendFileSync(FILE, `${JSON.stringify({ end, command, revision, ...data })}\n`);
  done.set(end, revision).set(command, revision);
  console.log(end);
};

const server = createServer(async (request, response) => {
  try {
    const chunks = [];
    let bytes = 0;
    for await (const chunk of request) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MOST_BYTES) throw new WebhookRefused('too large');
    }
    take(await verifyWebhook({ headers: request.headers, body: Buffer.concat(chunks) }, WEBHOOK_SECRET));
    response.writeHead(204).end();
  } catch (error) {
    console.error(error);
    response.writeHead(error instanceof WebhookRefused ? 400 : 500).end();
  }
});
server.listen(Number(PORT), () => console.log('Webhooks arrive at port', Object(server.address()).port));
