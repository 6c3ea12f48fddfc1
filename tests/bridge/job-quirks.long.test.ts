import { describe, expect, it } from 'vitest';
import { eventually } from '../kit/stage.ts';
import { ESX, OX, QBCORE, QBOX, VORP } from './frameworks.ts';
import { open, POLICE, rowOf, TAXI } from './job-stage.ts';

describe('the command job', () => {
  it('leaves the other jobs of a Qbox player alone, and refuses one too many before anything changes', async () => {
    const other = `INSERT IGNORE INTO player_groups (citizenid, type, \`group\`, grade) VALUES ('ANA11111', 'job', 'taxi', 0);`;
    const { setJob, server, mysql, row } = await open({ ...QBOX, rows: QBOX.rows + other });
    const groups = async () =>
      (await mysql.run('SELECT `group` FROM player_groups WHERE citizenid = ? ORDER BY `group`', [
        QBOX.ana,
      ])) as object[];
    server.emit('fake:jobs', '', 'baker', 1);
    const refused = await setJob(QBOX.ana, 'baker', 0);
    expect(refused).toMatchObject({ status: 409, body: { code: 'refused', executed: 'no' } });
    expect(await row()).toEqual(POLICE);
    server.convars.set('qbx:max_jobs_per_player', '2');
    expect(await setJob(QBOX.ana, 'baker', 0)).toMatchObject({ status: 200 });
    expect(await groups()).toEqual([{ group: 'baker' }, { group: 'taxi' }]);
    expect(await row()).toEqual({ job: 'baker', grade: 0 });
  });

  it('gives an old QBCore the jobs of its copied lists, until it announces others', async () => {
    const { luaFake } = await import('../fxserver/game.ts');
    const names = `__qb = { prefix = 'QBCore', types = { cash = 500, bank = 5000, crypto = 0 }, isOld = true }`;
    const { setJob, server } = await open({ ...QBCORE, install: luaFake('qb-core', 'qbcore.lua', names) });
    expect(await setJob(QBCORE.ana, 'taxi', 0)).toMatchObject({ status: 200 });
    expect((await setJob(QBCORE.ana, 'baker', 0)).body).toMatchObject({ code: 'unknown_job' });
    server.emit('fake:jobs', '', 'baker', 1);
    expect(await setJob(QBCORE.ana, 'baker', 0)).toMatchObject({ status: 200 });
  });

  it('is stored by an ESX without metadata, too', async () => {
    const tables = ESX.tables.replace('job_grade INT, metadata LONGTEXT,', 'job_grade INT,');
    const realTables = ESX.realTables.replace('metadata LONGTEXT NULL DEFAULT NULL,', '');
    const { luaFake } = await import('../fxserver/game.ts');
    const install = luaFake('es_extended', 'esx.lua', '__noMetadata = true');
    const { setJob, row } = await open({ ...ESX, tables, realTables, install });
    expect(await setJob(ESX.ana, 'taxi', 0)).toMatchObject({ status: 200 });
    expect(await row()).toEqual(TAXI);
  });

  it('keeps names of jobs that need signs of the mark', async () => {
    const { setJob, server, mysql, reboot, commandOf } = await open(ESX);
    server.emit('fake:jobs', '', 'a;b%3b 1', 1);
    expect(await setJob(ESX.ana, 'a;b%3b 1', 0)).toMatchObject({ status: 200 });
    mysql.deafen(true);
    void setJob(ESX.ana, 'taxi', 0).catch(() => undefined);
    await eventually(async () => (await rowOf(ESX, mysql, ESX.ana)).job).toBe('taxi');
    mysql.deafen(false);
    await reboot();
    await eventually(async () => (await commandOf()).status).toBe('succeeded');
    expect((await commandOf()).result).toEqual({ before: { job: 'a;b%3b 1', grade: 0 }, after: TAXI });
  });

  it('takes away the job of a character of ox_core, and gives it back if the new one is refused', async () => {
    const { setJob, row, mysql, server } = await open(OX);
    expect((await setJob(OX.ana, 'unemployed', 0)).body).toMatchObject({
      result: { before: POLICE, after: { job: 'unemployed', grade: 0 } },
    });
    expect((await setJob(OX.ana, 'police', 2)).body).toMatchObject({
      result: { before: { job: 'unemployed', grade: 0 }, after: POLICE },
    });
    const gang = await mysql.look("SELECT grade FROM character_groups WHERE charId = 1 AND name = 'ballas'");
    expect(gang).toEqual({ grade: 1 });
    expect((await setJob(OX.ana, 'ballas', 1)).body).toMatchObject({ code: 'unknown_job' });
    server.convars.set('fake:refuses', 'taxi');
    expect((await setJob(OX.ana, 'taxi', 1)).body).toMatchObject({ executed: 'no' });
    expect(await row()).toEqual(POLICE);
  });

  it('is in doubt if the bridge is restarted before ox_core has answered', async () => {
    const { setJob, server, commandOf, restartBridge, row } = await open(OX);
    let calls = 0;
    server.hear('__cfx_export_ox_core_CallPlayer', () => {
      calls += 1;
    });
    server.convars.set('fake:waits', '1');
    void setJob(OX.ana, 'taxi', 1).catch(() => undefined);
    await eventually(() => calls).toBe(1);
    await restartBridge();
    server.convars.delete('fake:waits');
    await eventually(async () => (await commandOf()).status).toBe('indeterminate');
    // The bridge took the former job away, and ended before it could set the new one.
    await eventually(() => row()).toEqual({ job: 'unemployed', grade: 0 });
  });

  it('has failed if ox_core was stopped before it did anything', async () => {
    const { setJob, server, commandOf } = await open(OX);
    let calls = 0;
    server.hear('__cfx_export_ox_core_CallPlayer', () => {
      calls += 1;
    });
    server.convars.set('fake:waits', '1');
    void setJob(OX.ana, 'taxi', 1).catch(() => undefined);
    await eventually(() => calls).toBe(1);
    await server.stop('ox_core');
    await eventually(async () => (await commandOf()).status).toBe('failed');
  });

  it('refuses what the columns of VORP do not hold', async () => {
    const { setJob, row } = await open(VORP);
    for (const [job, grade] of [
      ['x'.repeat(51), 0],
      ['police', 2 ** 31],
    ] as const)
      expect((await setJob(VORP.ana, job, grade)).body).toMatchObject({ executed: 'no' });
    expect(await row()).toEqual(POLICE);
  });
});
