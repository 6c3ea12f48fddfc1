import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import Sqlite from 'better-sqlite3';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { openDatabase } from '../../db/open.ts';
import { createRateLimit } from '../../server/auth/limits.ts';
import { SECURITY_HEADERS } from '../../server/http/answer.ts';
import { derivedCommandId, newId } from '../../server/platform/ids.ts';
import { announce } from './announce.ts';

/**
 * `limit` plus the work that the hub's promises require: a key, a limit, validated bodies, the hub's own journal table
 * written before the first byte and before the answer (one transaction for each turn of the event loop), its headers,
 * one log line. It has no command order, deadlines, indeterminate commands, cut connections, metrics or error types.
 * The difference to the hub is the cost of those.
 */
const [file = '', key = ''] = process.argv.slice(2);
const migrated = await openDatabase({ url: `file:${file}` });
await migrated.migrate();
await migrated.close();
const database = new Sqlite(file);
database.pragma('journal_mode = WAL');
database.pragma('wal_autocheckpoint = 10000');
const insert = database.prepare(`INSERT INTO commands (id, project_id, server_id, name, class, target, params,
  fingerprint, status, idempotency_key, actor, request_id, attempts, epoch, session_id, void_requested, created_at, expires_at,
  dispatched_at) VALUES (?, 'prj_1', ?, ?, ?, ?, ?, ?, 'dispatched', ?, ?, ?, 1, 1, 'ses_1', 0, ?, ?, ?)
  ON CONFLICT DO NOTHING`);
const settle = database.prepare(`UPDATE commands SET status = ?, result = ?, settled_at = ?
  WHERE id = ? AND project_id = 'prj_1' AND server_id = ? AND status = 'dispatched'`);

const byKey = database.prepare(`SELECT id, fingerprint, status, result FROM commands
  WHERE project_id = 'prj_1' AND idempotency_key = ?`);

const target = z.string().regex(/^[A-Za-z0-9:_.@-]{1,128}$/);
const reason = z.string().min(1).max(512).optional();
const SCHEMAS = {
  kick: z.strictObject({ target, reason }),
  money: z.strictObject({
    target,
    type: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/),
    amount: z.int().min(1),
    action: z.enum(['add', 'remove']),
    reason,
  }),
};
const SECURITY = Object.entries(SECURITY_HEADERS).flat();
const ACTOR = '{"keyId":"key_1","name":"bench"}';
const KEY = hash('sha256', key);

type Name = keyof typeof SCHEMAS;
type Pending = { serverId: string; name: Name; answer: (result: object) => void };

const bridges = new Map<string, { socket: WebSocket; stream: Duplex }>();
const waiting = new Map<string, Pending>();
const limit = createRateLimit();
let turn: { work: () => void; then: () => void }[] = [];
let isDurable = false;
let lines: string[] = [];

const flush = (): void => {
  const now = turn;
  turn = [];
  database.pragma(`synchronous = ${isDurable ? 'FULL' : 'NORMAL'}`);
  isDurable = false;
  database.exec('BEGIN IMMEDIATE');
  for (const { work } of now) work();
  database.exec('COMMIT');
  // Frames of one turn for the same bridge share one write.
  for (const { stream } of bridges.values()) stream.cork();
  for (const { then } of now) then();
  for (const { stream } of bridges.values()) stream.uncork();
};

const commit = (name: Name, work: () => void, then: () => void): void => {
  if (turn.length === 0) setImmediate(flush);
  if (name === 'money') isDurable = true;
  turn.push({ work, then });
};

const log = (line: object): void => {
  lines.push(JSON.stringify({ level: 30, time: new Date().toISOString(), ...line, msg: 'request' }));
  if (lines.length < 200) return;
  process.stdout.write(`${lines.join('\n')}\n`);
  lines = [];
};

const respond = (
  response: ServerResponse,
  status: number,
  requestId: string,
  remaining: number,
  body: object,
): void => {
  const text = JSON.stringify(body);
  response.writeHead(status, [
    ...SECURITY,
    ...['X-Request-Id', requestId, 'RateLimit-Policy', '"project";q=10000000;w=60'],
    ...['RateLimit', `"project";r=${remaining};t=60`, 'X-RateLimit-Limit', '10000000'],
    ...['X-RateLimit-Remaining', String(remaining), 'X-RateLimit-Reset', String(Math.ceil(Date.now() / 1_000) + 60)],
    ...['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(text))],
  ]);
  response.end(text);
};

const serve = (request: IncomingMessage, response: ServerResponse, body: string): void => {
  const start = performance.now();
  const [, , serverId = '', name = ''] = (request.url ?? '').split('/');
  const requestId = newId('req');
  const { remaining, admitted } = limit.admit('prj_1', 10_000_000);
  const refuse = (status: number): void => respond(response, status, requestId, remaining, { status });
  if (hash('sha256', String(request.headers['x-api-key'])) !== KEY) return refuse(401);
  if (!admitted) return refuse(429);
  if (name !== 'kick' && name !== 'money') return refuse(404);
  const parsed = SCHEMAS[name].safeParse(JSON.parse(body));
  if (!parsed.success) return refuse(400);
  const bridge = bridges.get(serverId);
  if (bridge === undefined) return refuse(503);
  const { target: player, ...params } = parsed.data;
  const idempotencyKey = request.headers['idempotency-key'];
  const known = typeof idempotencyKey === 'string' ? byKey.get(idempotencyKey) : undefined;
  if (typeof known === 'object' && known !== null) return respond(response, 200, requestId, remaining, known);
  const id =
    typeof idempotencyKey === 'string' ? derivedCommandId('prj_1', serverId, name, idempotencyKey) : newId('cmd');
  const at = Date.now();
  const fingerprint = hash('sha256', JSON.stringify([serverId, name, parsed.data]), 'base64url');
  const text = JSON.stringify(parsed.data);
  const kind = name === 'kick' ? 'ephemeral' : 'exactly_once';
  const answer = (result: object): void => {
    const times = { createdAt: new Date(at).toISOString(), expiresAt: new Date(at + 10_000).toISOString() };
    const rest = { executed: 'yes', params, result, actor: { keyId: 'key_1', name: 'bench' }, requestId, attempts: 1 };
    const ends = { dispatchedAt: times.createdAt, settledAt: new Date().toISOString() };
    const told = { id, name, serverId, target: player, status: 'succeeded', ...rest, ...times, ...ends };
    respond(response, 200, requestId, remaining, told);
    log({ requestId, method: 'POST', path: request.url, status: 200, ms: performance.now() - start });
  };
  commit(
    name,
    () =>
      insert.run(
        id,
        serverId,
        name,
        kind,
        player,
        text,
        fingerprint,
        idempotencyKey ?? null,
        ACTOR,
        requestId,
        at,
        at + 10_000,
        at,
      ),
    () => {
      waiting.set(id, { serverId, name, answer });
      bridge.socket.send(
        JSON.stringify({ type: 'command', id, name, fingerprint, expiresAt: at + 10_000, params: parsed.data }),
      );
    },
  );
};

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => serve(request, response, Buffer.concat(chunks).toString()));
});

const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on('connection', (socket, request) => {
  bridges.set(String(request.headers['x-server']), { socket, stream: request.socket });
  socket.on('message', (data) => {
    const { id, data: result } = JSON.parse(String(data));
    const pending = waiting.get(id);
    if (pending === undefined) return;
    waiting.delete(id);
    const { serverId, name, answer } = pending;
    commit(
      name,
      () => settle.run('succeeded', JSON.stringify(result), Date.now(), id, serverId),
      () => answer(result),
    );
  });
});
announce(server);
