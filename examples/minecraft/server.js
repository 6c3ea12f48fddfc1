import squid from 'flying-squid';
import defaults from 'flying-squid/config/default-settings.json' with { type: 'json' };
import { connectBridge } from './bridge.js';

const { CAUSEWAY_URL: url = 'ws://127.0.0.1:8080/bridge', CAUSEWAY_TOKEN: token, PORT = '25565' } = process.env;
if (token === undefined) throw new Error('Set CAUSEWAY_TOKEN to the bridge token of the game server (cwb_…).');

// Without `online-mode` every client chooses its name, so only this machine may connect. No `worldFolder`: the world is
// made anew at each start.
const own = { host: '127.0.0.1', 'online-mode': false, port: Number(PORT), version: '1.21.4', worldFolder: undefined };
const world = { generation: { name: 'superflat', options: {} }, 'view-distance': 4, 'everybody-op': false };
const server = squid.createMCServer({ ...defaults, ...own, ...world, logging: false, motd: 'Behind Causeway' });

// In a terminal, the first Ctrl+C closes flying-squid's prompt, and its own output fails from then on.
server.formatMessage = (line) => {
  process.stdout.write(`${line}\n`);
  return '';
};
connectBridge(server, { url, token }, (line) => server.info(line));
