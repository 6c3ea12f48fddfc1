import websocket from '@fastify/websocket';
import fastify, { type FastifyReply } from 'fastify';
import type { WebSocket } from 'ws';
import { announce } from './announce.ts';

/** Fastify 5 and its WebSocket plugin, without any duty of a hub. */
const bridges = new Map<string, WebSocket>();
const waiting = new Map<number, FastifyReply>();
let calls = 0;

const app = fastify();
await app.register(websocket);
app.get('/bridge', { websocket: true }, (socket, request) => {
  bridges.set(String(request.headers['x-server']), socket);
  socket.on('message', (data: Buffer) => {
    const { id, data: result } = JSON.parse(String(data));
    const reply = waiting.get(id);
    waiting.delete(id);
    reply?.send({ status: 'succeeded', result });
  });
});
app.post<{ Params: { serverId: string; name: string } }>('/bridge/:serverId/:name', (request, reply) => {
  const { serverId, name } = request.params;
  calls += 1;
  waiting.set(calls, reply);
  bridges.get(serverId)?.send(JSON.stringify({ id: calls, name, params: request.body }));
});
await app.ready();
announce(app.server);
