import { createServer } from 'node:http';
import { Server, type Socket } from 'socket.io';
import { announce } from './announce.ts';

/** Only Socket.IO, with heartbeats as often as the hub's. */
const PING_EVERY_MS = 15_000;
const games = new Map<string, Socket>();

const server = createServer();
const io = new Server(server, { transports: ['websocket'], pingInterval: PING_EVERY_MS, pingTimeout: 10_000 });
io.on('connection', (socket) => {
  const serverId = String(socket.handshake.auth['server']);
  games.set(serverId, socket);
  socket.on('disconnect', () => games.delete(serverId));
});
announce(server);
