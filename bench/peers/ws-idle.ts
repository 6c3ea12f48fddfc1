import { createServer } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { announce } from './announce.ts';

/** Only node:http and ws, with heartbeats as often as the hub's, from one timer. */
const PING_EVERY_MS = 15_000;
const bridges = new Map<string, WebSocket>();
const alive = new WeakSet<WebSocket>();

const server = createServer();
const sockets = new WebSocketServer({ server, clientTracking: false, perMessageDeflate: false });
sockets.on('connection', (socket, request) => {
  const serverId = String(request.headers['x-server']);
  bridges.set(serverId, socket);
  alive.add(socket);
  socket.on('pong', () => alive.add(socket));
  socket.on('close', () => bridges.delete(serverId));
});
setInterval(() => {
  for (const socket of bridges.values()) {
    if (alive.delete(socket)) socket.ping();
    else socket.terminate();
  }
}, PING_EVERY_MS);
announce(server);
