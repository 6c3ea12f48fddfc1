import { createServer, type ServerResponse } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { announce } from './announce.ts';

/** Only node:http and ws: the upper bound of this runtime. */
const bridges = new Map<string, WebSocket>();
const waiting = new Map<number, ServerResponse>();
let calls = 0;

const server = createServer((request, response) => {
  const [, , serverId = '', name = ''] = (request.url ?? '').split('/');
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    calls += 1;
    waiting.set(calls, response);
    bridges.get(serverId)?.send(JSON.stringify({ id: calls, name, params: JSON.parse(body) }));
  });
});

const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on('connection', (socket, request) => {
  bridges.set(String(request.headers['x-server']), socket);
  socket.on('message', (data) => {
    const { id, data: result } = JSON.parse(String(data));
    const response = waiting.get(id);
    waiting.delete(id);
    const text = JSON.stringify({ status: 'succeeded', result });
    response?.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
    response?.end(text);
  });
});
announce(server);
