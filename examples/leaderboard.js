// A web page with the ten richest players. However many people look at it, the hub is asked once in a minute.
import { createServer } from 'node:http';
import { createHub } from '@causewayhub/client';

const { HUB = 'http://127.0.0.1:8080', KEY, PORT = '3001' } = process.env;
if (!KEY) throw new Error('Set KEY to an API key with players:read.');
const hub = createHub({ url: HUB, apiKey: KEY });

const KEPT_MS = 60_000;

/** Players choose their names, so a name may look like HTML. @param {string} text */
const escaped = (text) => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const readPage = async () => {
  const { data } = await hub.listPlayers({ account: 'bank', sort: 'balance', limit: 10 }, { timeoutMs: 5_000 });
  const rows = data.map(
    ({ name, accounts, online }, place) =>
      `<tr><td>${place + 1}</td><td>${escaped(name)}${online ? ' ●' : ''}</td><td>$${accounts['bank'] ?? 0}</td></tr>`,
  );
  return `<!doctype html><meta charset="utf-8"><title>The richest</title><h1>The richest</h1><table>${rows.join('')}</table>`;
};

let page = '';
let readAt = -Infinity;
/** @type {Promise<void> | undefined} */
let reading;

/** Reads the list again if it is old; while that fails, the old page stays. */
const refresh = async () => {
  try {
    page = await readPage();
  } catch (error) {
    console.error(error);
  }
  readAt = performance.now();
  reading = undefined;
};

const server = createServer(async (_, response) => {
  if (performance.now() - readAt > KEPT_MS) reading ??= refresh();
  await reading;
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': "default-src 'none'" };
  if (page === '') response.writeHead(503, headers).end('The list cannot be read now.');
  else response.writeHead(200, headers).end(page);
});
server.listen(Number(PORT), () => console.log('The list is at port', Object(server.address()).port));
