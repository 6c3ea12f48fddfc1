import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bundled } from '../../../tests/kit/bundled.ts';
import { pause } from '../../promises/hub.ts';
import { openProcess } from '../../promises/processes.ts';
import type { Attack } from '../report.ts';

const PLAYERS = 25_000;
const RECORD = 'x'.repeat(3_000);
const AT_MOST_MS = 60_000;

/** A backup of 100 MB while the hub carries out payments. */
export const backup: Attack = {
  name: 'backup',
  options: {
    fill: async (store, projectId) => {
      for (let from = 0; from < PLAYERS; from += 500) {
        const records = Array.from({ length: 500 }, (_, n) => ({
          identifier: `char1:p${from + n}`,
          name: `Player ${from + n}`,
          online: false,
          identifiers: [],
          accounts: { bank: 1 },
          inventory: [],
          vehicles: [],
          metadata: { record: RECORD },
        }));
        await store.players.upsert(projectId, 'main', records, Date.now());
      }
    },
  },
  play: async ({ folder, file, env }) => {
    const size = statSync(file).size / 1_048_576;
    const target = join(folder, 'backup.db');
    const program = await bundled();
    const from = performance.now();
    const copy = openProcess([program, 'backup', target], {
      logFile: join(folder, 'backup.log'),
      env,
    });
    const ended = await Promise.race([copy.ended().then(() => true), pause(AT_MOST_MS).then(() => false)]);
    const seconds = (performance.now() - from) / 1_000;
    if (!ended) await copy.kill();
    const left = readdirSync(folder).filter((name) => name.startsWith('backup.db') && name !== 'backup.db');
    const outcome = ended ? `done in ${seconds.toFixed(2)} s` : `not done after ${AT_MOST_MS / 1_000} s`;
    return `${size.toFixed(0)} MiB: ${outcome}${left.length > 0 ? `; left behind ${left.join(', ')}` : ''}`;
  },
};
