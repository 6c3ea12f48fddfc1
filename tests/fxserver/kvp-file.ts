import { appendFileSync, existsSync, fstatSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { createKvp, type Kvp } from './kvp.ts';

type Line = [key: string, value: string | null];

const valuesIn = (file: string): Map<string, string> => {
  const values = new Map<string, string>();
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  for (const line of lines.filter((text) => text !== '')) {
    const [key, value] = JSON.parse(line) as Line;
    if (value === null) values.delete(key);
    else values.set(key, value);
  }
  return values;
};

/**
 * Stored values in a file. Written values survive every end of the process, as in the log of the game server's own
 * store; a write that fails is lost without an error.
 */
export const openKvpFile = (file: string): Kvp => {
  const durable = valuesIn(file);
  const log = openSync(file, 'a');
  const append = (key: string, value: string | undefined): boolean => {
    const { size } = fstatSync(log);
    const line: Line = [key, value ?? null];
    try {
      appendFileSync(log, `${JSON.stringify(line)}\n`);
      return true;
    } catch {
      // Half of it may be there.
      ftruncateSync(log, size);
      return false;
    }
  };
  return createKvp({ durable, append });
};
