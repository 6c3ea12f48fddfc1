import type { Mysql } from '../fxserver/mysql.ts';
import type { World } from './frameworks.ts';
import { openWorld } from './stage.ts';

export type Held = { job: string; grade: number };

export const rowOf = async ({ name }: World, mysql: Mysql, identifier: string): Promise<Held> => {
  const look = (sql: string, key: unknown = identifier) => mysql.look(sql, [key]);
  const held = (row: Record<string, unknown> | undefined): Held => ({
    job: String(row?.['job'] ?? 'unemployed'),
    grade: Number(row?.['grade'] ?? 0),
  });
  if (/esx/.test(name)) return held(await look('SELECT job, job_grade AS grade FROM users WHERE identifier = ?'));
  if (/vorp/.test(name)) {
    const sql = 'SELECT job, jobgrade AS grade FROM characters WHERE charidentifier = ?';
    return held(await look(sql, Number(identifier.split(':')[2])));
  }
  if (/ox_core/.test(name)) {
    const sql = `SELECT g.name AS job, c.grade AS grade FROM character_groups c JOIN ox_groups g ON g.name = c.name
      JOIN characters p ON p.charId = c.charId WHERE stateId = ? AND g.type = 'job'`;
    return held(await look(sql));
  }
  const row = await look('SELECT job FROM players WHERE citizenid = ?');
  const job = JSON.parse(String(row?.['job'])) as { name: string; grade: { level: number } };
  return { job: job.name, grade: job.grade.level };
};

export const open = async (world: World, options: Parameters<typeof openWorld>[1] = {}) => {
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

export const POLICE = { job: 'police', grade: 2 };
export const TAXI = { job: 'taxi', grade: 0 };
/** ox_core numbers its grades from 1. */
export const taxiOf = ({ name }: World): Held => (/ox_core/.test(name) ? { job: 'taxi', grade: 1 } : TAXI);
