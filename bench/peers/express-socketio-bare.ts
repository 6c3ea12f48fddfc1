import { createServer } from 'node:http';
import express from 'express';
import { Server, type Socket } from 'socket.io';
import { announce } from './announce.ts';

/** Express 5 and Socket.IO acknowledgements, without any duty of a hub. */
const games = new Map<string, Socket>();

const app = express();
app.use(express.json());
app.post('/bridge/:serverId/:name', async (request, response) => {
  const { serverId, name } = request.params;
  const result = await games.get(serverId)?.timeout(10_000).emitWithAck(name, request.body);
  response.json({ status: 'succeeded', result });
});

const server = createServer(app);
const io = new Server(server, { transports: ['websocket'] });
io.on('connection', (socket) => games.set(String(socket.handshake.auth['server']), socket));
announce(server);
