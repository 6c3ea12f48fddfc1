import fastify from 'fastify';
import { type RPCClient, RPCServer } from 'ocpp-rpc';
import { announce } from './announce.ts';

/**
 * Fastify 5 and ocpp-rpc, the RPC library of charging-station hubs, without any duty of a game hub. Its default of one
 * open call for each client is raised, because the bench would otherwise measure that limit.
 */
const CALLS_IN_FLIGHT = 1_024;
const games = new Map<string, RPCClient>();

const app = fastify();
app.post<{ Params: { serverId: string; name: string } }>('/bridge/:serverId/:name', async (request) => {
  const { serverId, name } = request.params;
  const result = await games.get(serverId)?.call(name, request.body);
  return { status: 'succeeded', result };
});
await app.ready();

const rpc = new RPCServer({ protocols: ['game'], callConcurrency: CALLS_IN_FLIGHT });
rpc.on('client', (client: RPCClient & { identity: string }) => games.set(client.identity, client));
app.server.on('upgrade', rpc.handleUpgrade);
announce(app.server);
