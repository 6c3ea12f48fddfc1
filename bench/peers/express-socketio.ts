import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import Sqlite from 'better-sqlite3';
import express, { type NextFunction, type Request, type Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { Server, type Socket } from 'socket.io';
import { z } from 'zod';
import { announce } from './announce.ts';

/**
 * Express 5 and Socket.IO with the hub's features in a simple form: a key, a limit, validated bodies, and a journal of
 * every command in SQLite, written before the command is sent and before it is answered.
 */
const [file = '', key = ''] = process.argv.slice(2);
const games = new Map<string, Socket>();

const database = new Sqlite(file);
database.pragma('journal_mode = WAL');
database.exec(`CREATE TABLE keys (hash TEXT PRIMARY KEY, project TEXT NOT NULL);
  CREATE TABLE commands (id TEXT PRIMARY KEY, project TEXT NOT NULL, server TEXT NOT NULL, name TEXT NOT NULL,
    params TEXT NOT NULL, status TEXT NOT NULL, result TEXT, created_at INTEGER NOT NULL, settled_at INTEGER);
  CREATE INDEX commands_by_project ON commands (project, created_at);`);
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
database.prepare('INSERT INTO keys VALUES (?, ?)').run(hashOf(key), 'bench');
const findKey = database.prepare('SELECT project FROM keys WHERE hash = ?').pluck();
const insert = database.prepare("INSERT INTO commands VALUES (?, ?, ?, ?, ?, 'dispatched', NULL, ?, NULL)");
const settle = database.prepare("UPDATE commands SET status = 'succeeded', result = ?, settled_at = ? WHERE id = ?");

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

const authenticate = (request: Request, response: Response, next: NextFunction): void => {
  const project = findKey.get(hashOf(request.get('X-API-Key') ?? ''));
  if (project === undefined) {
    response.status(401).json({ code: 'invalid_api_key' });
    return;
  }
  response.locals['project'] = project;
  next();
};

const app = express();
app.use(authenticate);
app.use(
  rateLimit({
    windowMs: 60_000,
    limit: 1_000_000_000,
    standardHeaders: 'draft-8',
    keyGenerator: (_request, response) => String(response.locals['project']),
  }),
);
app.use(express.json({ limit: '64kb' }));

const command = (name: 'kick' | 'money') => async (request: Request, response: Response) => {
  const parsed = SCHEMAS[name].safeParse(request.body);
  if (!parsed.success) {
    response.status(422).json({ code: 'invalid_request', errors: parsed.error.issues });
    return;
  }
  const serverId = String(request.params['serverId']);
  const game = games.get(serverId);
  if (game === undefined) {
    response.status(503).json({ code: 'bridge_offline' });
    return;
  }
  // Money survives a power cut, as in the hub.
  database.pragma(`synchronous = ${name === 'money' ? 'FULL' : 'NORMAL'}`);
  const id = randomUUID();
  insert.run(id, response.locals['project'], serverId, name, JSON.stringify(parsed.data), Date.now());
  const result = await game.timeout(10_000).emitWithAck(name, { id, ...parsed.data });
  database.pragma(`synchronous = ${name === 'money' ? 'FULL' : 'NORMAL'}`);
  settle.run(JSON.stringify(result), Date.now(), id);
  response.json({ id, status: 'succeeded', result });
};
app.post('/bridge/:serverId/kick', command('kick'));
app.post('/bridge/:serverId/money', command('money'));

const server = createServer(app);
const io = new Server(server, { transports: ['websocket'] });
io.on('connection', (socket) => games.set(String(socket.handshake.auth['server']), socket));
announce(server);
