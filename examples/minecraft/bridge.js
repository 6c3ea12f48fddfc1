import { once } from 'node:events';
import { createBridge, memoryJournal } from '@causewayhub/bridge-protocol';
import { openWebSocket } from '@causewayhub/bridge-protocol/ws';

/** A client closes its connection when it reads why it is kicked. One that does not is cut off after this time. */
const LEAVES_WITHIN_MS = 2_000;
const IDENTIFIER = /^minecraft:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NAME = /^\w{1,16}$/;

const identifierOf = ({ uuid }) => `minecraft:${uuid}`;

const recordOf = (player) => ({
  identifier: identifierOf(player),
  // flying-squid takes any text as a name from a client that it does not verify.
  name: player.username.slice(0, 128),
  online: true,
  identifiers: NAME.test(player.username) ? [`name:${player.username}`] : [],
});

const rejected = (code, message) => ({ status: 'rejected', error: { code, message } });

const remove = async (player, reason) => {
  const left = once(player, 'disconnected', { signal: AbortSignal.timeout(LEAVES_WITHIN_MS) });
  player.kick(reason);
  await left.catch(() => player._client.socket.destroy());
};

/** Connects a server of `createMCServer` to a hub while it runs: reports who is on it, and kicks them. */
export const connectBridge = (server, { url, token }, say) => {
  // flying-squid lets a second client with the same UUID in.
  const playersOf = (identifier) => server.players.filter((player) => identifierOf(player) === identifier);

  const kick = async ({ target, reason }) => {
    const players = playersOf(target);
    await Promise.all(players.map((player) => remove(player, reason)));
    if (players.length > 0) return { status: 'done', data: { kicked: true } };
    // flying-squid keeps no list of players who have left, so each UUID may belong to one.
    const isPlayer = IDENTIFIER.test(target);
    return rejected(isPlayer ? 'player_offline' : 'player_not_found', `${target} is not on the server.`);
  };

  const bridge = createBridge({
    openSocket: openWebSocket({ url, token }),
    software: { name: 'causeway-minecraft', version: '1.0.0', game: 'minecraft', framework: 'flying-squid' },
    journal: memoryJournal(),
    // The protocol asks for one account; without a handler for money, the hub refuses to use it.
    accounts: ['bank'],
    commands: { kick },
    players: {
      snapshot: () => new Map(server.players.map((player) => [player.uuid, recordOf(player)])).values(),
      read: (identifier) => playersOf(identifier).map(recordOf)[0],
    },
    status: () => ({ players: { online: server.players.length } }),
    onState: (state, detail) => say(`hub: ${state} ${detail}`),
    log: (level, message) => say(`hub: ${level}: ${message}`),
  });

  server.on('newPlayer', (player) => {
    player.once('spawned', () => {
      // The connection may have ended while flying-squid sent the world.
      if (server.players.includes(player)) bridge.changed({ players: [recordOf(player)] });
    });
    player.once('disconnected', () => {
      const [last, ...others] = playersOf(identifierOf(player));
      if (last === player && others.length === 0) bridge.changed({ offline: [identifierOf(player)] });
    });
  });
  server.once('ready', () => bridge.start());
  server.once('close', () => void bridge.stop('The Minecraft server is closed.'));
};
