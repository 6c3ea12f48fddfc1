import { createServer } from 'node:http';
import { type BirpcReturn, createBirpc } from 'birpc';
import { WebSocketServer } from 'ws';
import { announce } from './announce.ts';

type Game = { kick: (params: unknown) => Promise<unknown> };

/** node:http, ws, and birpc for the calls, without any duty of a hub. */
const games = new Map<string, BirpcReturn<Game, Record<string, never>>>();

const server = createServer(async (request, response) => {
  const [, , serverId = ''] = (request.url ?? '').split('/');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const result = await games.get(serverId)?.kick(JSON.parse(Buffer.concat(chunks).toString()));
  const text = JSON.stringify({ status: 'succeeded', result });
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }).end(text);
});

const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on('connection', (socket, request) => {
  const game = createBirpc<Game, Record<string, never>>(
    {},
    {
      post: (data) => socket.send(data),
      on: (hear) => socket.on('message', (data) => hear(String(data))),
      serialize: JSON.stringify,
      deserialize: JSON.parse,
    },
  );
  games.set(String(request.headers['x-server']), game);
});
announce(server);
