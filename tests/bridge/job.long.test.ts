import { describe, expect, it } from 'vitest';
import type { Mysql } from '../fxserver/mysql.ts';
import { eventually } from '../testkit/stage.ts';
import { REAL } from './checkouts.ts';
import { ESX, OX, QBCORE, QBOX, RSG, VORP, WORLDS, type World } from './frameworks.ts';
import { openWorld } from './stage.ts';

type Held = { job: string; grade: number };

const rowOf = async ({ name }: World, mysql: Mysql, identifier: string): Promise<Held> => {
  const look = (sql: string, key: unknown = identifier) => mysql.look(sql, [key]);
  const held = (row: Record<string, unknown> | undefined): Held => ({
    job: String(row?.['job'] ?? 'unemployed'),
    grade: Number(row?.['grade'] ?? 0),
  });
  if (/esx/.test(name)) return held(await look('SELECT job, job_grade AS grade FROM users WHERE identifier = ?'));
  if (name === 'vorp') {
    const sql = 'SELECT job, jobgrade AS grade FROM characters WHERE charidentifier = ?';
    return held(await look(sql, Number(identifier.split(':')[2])));
  }
  if (name === 'ox_core') {
    const sql = `SELECT g.name AS job, c.grade AS grade FROM character_groups c JOIN ox_groups g ON g.name = c.name
      JOIN characters p ON p.charId = c.charId WHERE stateId = ? AND g.type = 'job'`;
    return held(await look(sql));
  }
  const row = await look('SELECT job FROM players WHERE citizenid = ?');
  const job = JSON.parse(String(row?.['job'])) as { name: string; grade: { level: number } };
  return { job: job.name, grade: job.grade.level };
};

const open = async (world: World, options: Parameters<typeof openWorld>[1] = {}) => {
  const opened = await openWorld(world, options);
  return {
    ...opened,
    setJob: (target: string, job: string, grade: number, key?: string, waitS?: number) =>
      opened.command('job', { target, job, grade }, key, waitS),
    row: (identifier = world.ana) => rowOf(world, opened.mysql, identifier),
    held: async (): Promise<Held> => {
      const { job, jobGrade } = (await opened.look(world.ana)).metadata;
      return { job: String(job), grade: Number(jobGrade) };
    },
    commandOf: async (): Promise<{ status: string; result?: unknown }> =>
      ((await opened.hub.request('/api/v2/commands')).body['data'] as { status: string; result?: unknown }[])[0] ?? {
        status: 'none',
      },
  };
};

const POLICE = { job: 'police', grade: 2 };
const TAXI = { job: 'taxi', grade: 0 };
/** ox_core numbers its grades from 1. */
const taxiOf = ({ name }: World): Held => (name === 'ox_core' ? { job: 'taxi', grade: 1 } : TAXI);

describe.each([...WORLDS, ...REAL])('the command job in $name', (world) => {
  const { ana, bo, cy } = world;
  const taxi = taxiOf(world);

  it('sets a job: the row, the memory and the answer agree', async () => {
    const { setJob, row, held, server, recall } = await open(world);
    expect((await setJob(ana, taxi.job, taxi.grade)).body).toMatchObject({ result: { before: POLICE, after: taxi } });
    expect([await row(), await held()]).toEqual([taxi, taxi]);
    expect((await setJob(ana, 'police', 2)).body).toMatchObject({ result: { before: taxi, after: POLICE } });
    expect([await row(), await held()]).toEqual([POLICE, POLICE]);
    await eventually(async () => (await recall(ana))?.metadata).toMatchObject({ job: 'police', jobGrade: 2 });
    expect(server.errors).toEqual([]);
  });

  it('succeeds without a change if the player has that job', async () => {
    const { setJob, row } = await open(world);
    const same = { result: { before: POLICE, after: POLICE } };
    expect((await setJob(ana, 'police', 2)).body).toMatchObject(same);
    expect((await setJob(ana, 'police', 2)).body).toMatchObject(same);
    expect(await row()).toEqual(POLICE);
  });

  it('refuses jobs and grades that the framework does not have', async () => {
    const { setJob, row } = await open(world);
    for (const job of ['king', 'Police', 'police ', '__proto__', "'; DROP TABLE users;--"]) {
      const { status, body } = await setJob(ana, job, 0);
      if (world.name === 'vorp') expect(body).toMatchObject({ result: { after: { job, grade: 0 } } });
      else expect({ status, body }).toMatchObject({ status: 422, body: { code: 'unknown_job', executed: 'no' } });
    }
    if (world.name === 'vorp') return;
    const { status, body } = await setJob(ana, 'police', 9);
    expect({ status, body }).toMatchObject({ status: 422, body: { code: 'unknown_grade', executed: 'no' } });
    expect(String(body['detail'])).toMatch(/grades: .*2/);
    expect(await row()).toEqual(POLICE);
  });

  it('changes players who are away where one statement does it, and no unknown ones', async () => {
    const { setJob, row, mysql, join, server } = await open(world);
    const before = await row(cy);
    expect(await setJob(world.nobody, taxi.job, taxi.grade)).toMatchObject({
      status: 404,
      body: { code: 'player_not_found' },
    });
    const answer = await setJob(cy, 'police', 3);
    if (/qbox|ox_core|vorp/.test(world.name)) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'player_offline' } });
      expect(await row(cy)).toEqual(before);
      return;
    }
    const police = { job: 'police', grade: 3 };
    expect(answer.body).toMatchObject({ result: { before, after: police } });
    expect(await row(cy)).toEqual(police);
    const { column, key } = /esx/.test(world.name)
      ? { column: 'users', key: 'identifier' }
      : { column: 'players', key: 'citizenid' };
    const stored = await mysql.look(`SELECT metadata FROM ${column} WHERE ${key} = ?`, [cy]);
    expect(String(stored?.['metadata'])).toContain('causeway');
    // The framework reads it as its own at the next login.
    const source = await join(cy);
    server.drop(source, 'bye');
    await eventually(() => server.players.get(source)).toBeUndefined();
    await mysql.quiet();
    expect(await row(cy)).toEqual(police);
  });

  it('keeps the job of a player who leaves at once', async () => {
    const { setJob, kick, row, mysql } = await open(world);
    expect(await setJob(ana, taxi.job, taxi.grade)).toMatchObject({ status: 200 });
    expect(await kick(ana)).toMatchObject({ status: 200 });
    await mysql.quiet();
    expect(await row()).toEqual(taxi);
  });

  it('sets jobs and pays at once without losing either', async () => {
    const { setJob, pay, row, stored } = await open(world);
    const { account } = world;
    const paid = world.money.ana[account] ?? 0;
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, nth) => {
        const { job, grade } = nth % 2 === 0 ? taxi : POLICE;
        return [setJob(ana, job, grade, `job-${nth}`), pay({ target: ana, amount: 1 }, `pay-${nth}`)];
      }).flat(),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await row()).toEqual(POLICE);
    expect(await stored(ana)).toMatchObject({ [account]: paid + 12 });
  });

  it('reads and writes no job for a payment', async () => {
    const { pay, mysql } = await open(world);
    await mysql.quiet();
    mysql.statements();
    expect(await pay({ target: bo })).toMatchObject({ status: 200 });
    const ofPayment = mysql.statements().filter((sql) => /^(UPDATE|SELECT [^1])/.test(sql) && !/LIMIT|IN \(/.test(sql));
    expect(ofPayment.join('\n')).not.toMatch(/job|group/i);
  });

  it.runIf(world !== OX)('reports the outcome of a command that a stop interrupted', async () => {
    const { setJob, mysql, restartBridge, commandOf, row, held } = await open(world);
    mysql.hold(true, /UPDATE|DELETE|INSERT/);
    const setting = setJob(ana, taxi.job, taxi.grade).catch(() => undefined);
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    await restartBridge();
    mysql.hold(false);
    await setting;
    const isProven = world.hasMarks && !/qbox/.test(world.name);
    await eventually(async () => (await commandOf()).status).toBe(isProven ? 'succeeded' : 'indeterminate');
    if (isProven) expect((await commandOf()).result).toEqual({ before: POLICE, after: taxi });
    await eventually(async () => [await row(), await held()]).toEqual([taxi, taxi]);
  });
});

const CRASHING: readonly World[] = [ESX, QBCORE, QBOX, RSG, VORP];
/** The last statement of a command: the bridge writes the row. */
const OWN_WRITE =
  /^UPDATE (users|players) SET (accounts|money) = \?, metadata = \?.* job = \?|^UPDATE characters SET job/;

describe.each(CRASHING)('the command job of a server that dies, $name', (world) => {
  const { ana } = world;

  it('is done if the row has the mark', async () => {
    const { setJob, mysql, reboot, commandOf, row } = await open(world);
    mysql.hold(true, OWN_WRITE);
    void setJob(ana, 'police', 3).catch(() => undefined);
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    mysql.deafen(true);
    mysql.hold(false);
    await eventually(() => row()).toEqual({ job: 'police', grade: 3 });
    await mysql.quiet();
    mysql.deafen(false);
    await reboot();
    await eventually(async () => (await commandOf()).status).toBe(world.hasMarks ? 'succeeded' : 'indeterminate');
    if (!world.hasMarks) return;
    expect((await commandOf()).result).toEqual({ before: POLICE, after: { job: 'police', grade: 3 } });
  });

  it('has failed if the row has no mark', async () => {
    const { setJob, mysql, reboot, commandOf, row } = await open(world);
    mysql.hold(true, /UPDATE|DELETE|INSERT/);
    void setJob(ana, 'taxi', 0).catch(() => undefined);
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    await reboot();
    const isProven = world.hasMarks && world !== QBOX;
    await eventually(async () => (await commandOf()).status).toBe(isProven ? 'failed' : 'indeterminate');
    expect(await row()).toEqual(POLICE);
  });
});

describe.each([ESX, QBCORE, QBOX, RSG])('a job that was removed while a player holds it, $name', (world) => {
  it('breaks neither the record nor the command', async () => {
    const { setJob, held, server, row, look } = await open(world);
    server.emit('fake:jobs', '', 'police', 0);
    expect(await held()).toEqual(POLICE);
    expect((await look(world.cy)).metadata['job']).toBeDefined();
    expect((await setJob(world.ana, 'police', 2)).body).toMatchObject({ code: 'unknown_job' });
    expect((await setJob(world.ana, 'taxi', 0)).body).toMatchObject({ result: { before: POLICE, after: TAXI } });
    expect(await row()).toEqual(TAXI);
  });

  it('and a new job can be set as soon as the framework has it', async () => {
    const { setJob, server, row } = await open(world);
    expect((await setJob(world.ana, 'baker', 1)).body).toMatchObject({ code: 'unknown_job' });
    server.emit('fake:jobs', '', 'baker', 2);
    const baker = { job: 'baker', grade: 1 };
    expect((await setJob(world.ana, 'baker', 1)).body).toMatchObject({ result: { before: POLICE, after: baker } });
    expect(await row()).toEqual(baker);
  });
});

describe.each([ESX, QBCORE, RSG])('the command job of a player who is away, $name', (world) => {
  it('is not lost if the database does not confirm it', async () => {
    const { setJob, mysql, row } = await open(world);
    mysql.hold(true, /^UPDATE/);
    const setting = setJob(world.cy, 'taxi', 0);
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    mysql.deafen(true);
    mysql.hold(false);
    await eventually(() => row(world.cy)).toEqual(TAXI);
    mysql.deafen(false);
    expect((await setting).body).toMatchObject({ result: { after: TAXI } });
  });

  it('does not overwrite a job that another script has set meanwhile', async () => {
    const { setJob, mysql, row } = await open(world);
    mysql.hold(true, /^UPDATE/);
    const setting = setJob(world.cy, 'taxi', 0);
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    const police = JSON.stringify({ name: 'police', label: 'Police', grade: { level: 4, name: 'Chief' } });
    const own =
      world === ESX
        ? "UPDATE users SET job = 'police', job_grade = 4 WHERE identifier = ?"
        : `UPDATE players SET job = '${police}' WHERE citizenid = ?`;
    await mysql.run(own, [world.cy]);
    mysql.hold(false);
    expect((await setting).body).toMatchObject({ result: { before: { job: 'police', grade: 4 }, after: TAXI } });
    expect(await row(world.cy)).toEqual(TAXI);
  });
});

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
