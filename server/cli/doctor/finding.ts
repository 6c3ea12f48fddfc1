import type { Config } from '../../platform/config.ts';
import { inTime } from '../../platform/deadline.ts';

export const DEADLINE_MS = 5_000;

export type Status = 'ok' | 'warn' | 'fail';
/** The result of one check, and its remedy. */
export type Finding = { check: string; status: Status; text: string };
export type Said = [status: Status, text: string];
/** The settings; the file of the database (undefined: PostgreSQL or memory); the command that the user types. */
export type Parts = { config: Config; file: string | undefined; command: string };

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'it failed');

/** Runs one check; a check that fails or hangs is a finding, too. */
export const examine = async (check: string, work: () => Said | Promise<Said>): Promise<Finding> => {
  const attempt = async (): Promise<Said> => {
    try {
      return await work();
    } catch (error) {
      return ['fail', reasonOf(error)];
    }
  };
  const [status, text] = (await inTime(attempt(), 2 * DEADLINE_MS)) ?? ['fail', 'no answer in time'];
  return { check, status, text };
};
