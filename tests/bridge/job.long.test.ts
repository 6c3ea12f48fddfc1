import { describe, expect, it } from 'vitest';
import { eventually } from '../kit/stage.ts';
import { REAL_OX_CORE } from './built-worlds.ts';
import { REAL, REAL_REDM } from './checkouts.ts';
import { ESX, QBCORE, QBOX, RSG, VORP, WORLDS, type World } from './frameworks.ts';
import { open, POLICE, TAXI, taxiOf } from './job-stage.ts';

describe.each([...WORLDS, ...REAL, ...REAL_REDM, ...REAL_OX_CORE])('the command job in $name', (world) => {
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
      if (/vorp/.test(world.name)) expect(body).toMatchObject({ result: { after: { job, grade: 0 } } });
      else expect({ status, body }).toMatchObject({ status: 422, body: { code: 'unknown_job', executed: 'no' } });
    }
    if (/vorp/.test(world.name)) return;
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
        return [setJob(ana, job, grade, `job-${nth}`, 50), pay({ target: ana, amount: 1 }, `pay-${nth}`, 50)];
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

  it.runIf(!/ox_core/.test(world.name))('reports the outcome of a command that a stop interrupted', async () => {
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

const CRASHING: readonly World[] = [
  ...[ESX, QBCORE, QBOX, RSG, VORP],
  ...[...REAL, ...REAL_REDM].filter(({ name }) => /esx|qbcore|rsg/.test(name)),
];
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
