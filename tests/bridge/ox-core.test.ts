import { describe, expect, it } from 'vitest';
import { eventually } from '../support/stage.ts';
import { OX } from './frameworks.ts';
import { openWorld } from './stage.ts';

describe('ox_core', () => {
  it('tells from its ledger what became of a command that was cut off after the money had moved', async () => {
    const { hub, pay, mysql, server, restartBridge, stored } = await openWorld(OX);
    server.hear('ox:updatedBalance', () => mysql.hold(true));
    const paying = pay({ target: OX.ana }, 'once').catch(() => undefined);
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    await restartBridge();
    mysql.hold(false);
    await paying;
    const commands = async () => (await hub.request('/api/v2/commands')).body['data'] as { status: string }[];
    await eventually(async () => (await commands())[0]?.status).toBe('succeeded');
    expect((await commands())[0]).toMatchObject({ result: { account: 'bank', before: 5000, after: 5050 } });
    expect(await stored(OX.ana)).toEqual({ bank: 5050 });
  });
});
