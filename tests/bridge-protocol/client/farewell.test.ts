import { expect, it } from 'vitest';
import { createFakeHub, until } from '../../kit/fake-hub.ts';
import { createGate, startBridge } from '../bridge.ts';

it('says nothing after bye, not even the rest of a snapshot', async () => {
  const hub = createFakeHub();
  hub.behaviour.byes = false;
  const gate = createGate();
  const bridge = startBridge(hub, {
    players: {
      snapshot: async function* () {
        await gate.opened;
        yield {
          identifier: 'char1:ana',
          name: 'Ana',
          online: true,
          identifiers: [],
          accounts: {},
          inventory: [],
          vehicles: [],
          metadata: {},
        };
      },
    },
  });
  const socket = await hub.socket(0);
  await until(() => socket.of('status')[0]);
  const stopped = bridge.stop();
  await until(() => socket.of('bye')[0]);
  gate.open();
  socket.send({ type: 'ping', n: 1, now: 0 });
  await stopped;
  expect(socket.messages.at(-1)?.type).toBe('bye');
});
