import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../simulator/random.ts';
import { engines, playerOf, useStore } from '../../kit/databases.ts';

const SERVERS = ['s1', 's2'];

describe.each(engines)('totals of players on $name', ({ open }) => {
  const db = useStore(open);

  it('agree with the rows after any joins, leaves, renames and removals', async () => {
    const random = createRandom(7);
    const { players } = db.store;
    const known = new Map<string, boolean>();
    const list = (online?: boolean, server?: string) =>
      players.list({
        projectId: 'p',
        limit: 200,
        ...(online === undefined ? {} : { online }),
        ...(server === undefined ? {} : { servers: [server] }),
      });
    for (let step = 0; step < 120; step += 1) {
      const [server, identifier] = [random.pick(['s1', 's2']), `id${random.int(1, 20)}`];
      const what = random.int(0, 3);
      if (what === 0) await players.setOnline('p', server, [identifier], { online: false, at: step });
      if (what === 1) await players.remove('p', server, [identifier]);
      if (what > 1) {
        const changes = { online: random.chance(0.5), name: `name ${random.int(1, 3)}`, identifiers: [`l:${step}`] };
        await players.upsert('p', server, [playerOf(identifier, changes)], step);
        known.set(`${server} ${identifier}`, changes.online);
      }
      if (what === 1) known.delete(`${server} ${identifier}`);
      if (what === 0 && known.has(`${server} ${identifier}`)) known.set(`${server} ${identifier}`, false);
      for (const of of [undefined, ...SERVERS]) {
        for (const online of [undefined, true, false]) {
          const expected = [...known].filter(
            ([key, isOnline]) => key.startsWith(of ?? '') && (online ?? isOnline) === isOnline,
          ).length;
          const { total, rows } = await list(online, of);
          expect([total, rows.length], `step ${step}, ${of} ${online}`).toEqual([expected, expected]);
        }
      }
      if (step === 100) await players.allOffline('p', 's1', { limit: 100, at: step });
      if (step === 100) for (const key of known.keys()) if (key.startsWith('s1')) known.set(key, false);
    }
    expect(await db.store.projects.totals('p')).toMatchObject({ players: known.size });
  });
});
