import { onTestFinished } from 'vitest';
import { startGame } from '../fxserver/game.ts';
import { eventually } from '../kit/stage.ts';
import { type Garage, rowsOf } from './garages.ts';
import { openWorld } from './stage.ts';

type Given = { target: string; action: string; model?: string; plate?: string; garage?: string; metadata?: object };

/** A world whose game knows which vehicles are in it. */
export const openGarage = async (garage: Garage, more: { rows?: string } = {}) => {
  const { world } = garage;
  const opened = await openWorld({
    ...world,
    rows: world.rows + (more.rows ?? ''),
    install: async (server, mysql) => {
      server.convars.set('onesync', 'on');
      await world.install(server, mysql);
    },
  });
  const { hub, mysql, server, recall, kvp } = opened;
  let keys = 0;
  const send = (given: Given, key?: string) => {
    keys += 1;
    const headers = { 'Idempotency-Key': key ?? `vehicle-${keys}`, Prefer: 'wait=10' };
    return hub.request('/api/v2/bridge/main/vehicles', { json: given, headers });
  };
  /** The plates of a player in the hub. */
  const plates = async (identifier: string) => (await recall(identifier))?.vehicles.map(({ plate }) => plate).sort();
  const statusOf = async () =>
    ((await hub.request('/api/v2/commands')).body['data'] as { status: string; result: unknown }[])[0];
  return {
    ...opened,
    send,
    plates,
    statusOf,
    row: async (plate: string) => (await rowsOf(mysql, garage)).find((row) => row['plate'] === plate),
    rows: () => rowsOf(mysql, garage),
    /** The server dies and comes back, with the same disk and the same database. */
    startAgain: async () => {
      server.crash();
      mysql.crash();
      kvp.crash();
      await eventually(() => hub.sizes().sessions).toBe(0);
      mysql.hold(false);
      mysql.deafen(false);
      const framework = { ...world, tables: '', realTables: '', rows: 'SELECT 1;' };
      const again = await startGame({ framework, url: hub.bridgeUrl, token: hub.token, mysql, kvp });
      onTestFinished(() => again.server.stop('causeway'));
    },
  };
};
