import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../db/open.ts';
import { newServerDatabase, runOn, serverUrl } from '../kit/databases.ts';
import { until } from '../kit/until.ts';
import { openNode } from './node.ts';

/** Refuses the writes of a hub that starts, as a server without room does. */
const FULL = `
  CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END
  $$;
  CREATE TRIGGER no_room BEFORE INSERT ON nodes FOR EACH ROW EXECUTE FUNCTION no_room()`;

describe.skipIf(serverUrl === undefined)('a node that is started while the disk of PostgreSQL is full', () => {
  it('waits until the database takes writes', async () => {
    const { url, drop } = await newServerDatabase(serverUrl ?? '');
    onTestFinished(async () => void (await drop()));
    const database = await openDatabase({ url });
    await database.migrate();
    await database.close();
    await runOn(url, FULL);
    const node = await openNode('node-1', { DATABASE_URL: url });
    onTestFinished(() => node.stop('SIGKILL'));
    const ready = node.start();
    await until(async () => node.said().includes('"waiting for the database"'), 'it waits');
    expect(node.said()).toContain('No space left on device');
    const { status } = await fetch(`${node.address}/readyz`);
    expect(status).toBe(503);
    await runOn(url, 'DROP TRIGGER no_room ON nodes');
    await ready;
  });
});
