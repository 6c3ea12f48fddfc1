import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { SELF_SIGNED } from '../kit/self-signed.ts';
import { eventually } from '../kit/stage.ts';
import { ESX } from './frameworks.ts';
import { openWorld } from './stage.ts';

const ATTEMPTS = 3;

/** A TLS server with a self-signed certificate; it records all received data. */
const openDoor = async () => {
  let attempts = 0;
  let heard = '';
  const door = tls.createServer(SELF_SIGNED, (socket) => {
    socket.on('data', (data) => {
      heard += data.toString('latin1');
    });
    socket.on('error', () => {});
  });
  door.on('connection', () => {
    attempts += 1;
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  onTestFinished(async () => {
    door.close();
  });
  const { port } = door.address() as AddressInfo;
  return { url: `wss://localhost:${port}/bridge`, attempts: () => attempts, heard: () => heard };
};

it('sends no token to a hub with an untrusted certificate, logs that once, and keeps trying', async () => {
  const door = await openDoor();
  const { hub, server, restartBridge } = await openWorld(ESX, { speed: 50 });
  server.convars.set('causeway_url', door.url);
  server.lines.splice(0);
  await restartBridge();
  await eventually(door.attempts).toBeGreaterThanOrEqual(ATTEMPTS);
  const said = server.lines.filter((line) => line.includes('cannot be reached'));
  // Node.js 24 adds advice to the reason.
  expect(said).toEqual([
    expect.stringMatching(
      /^\[causeway\] \[causeway\] the hub cannot be reached: closed with 1006 \(self-signed certificate[^)]*\); trying again$/,
    ),
  ]);
  expect(door.heard()).toBe('');
  await eventually(() => hub.sizes().sessions).toBe(0);
  server.convars.set('causeway_url', hub.bridgeUrl);
  await restartBridge();
  await eventually(() => hub.sizes().sessions).toBe(1);
});
