import { describe, expect, it } from 'vitest';
import { engines, projectOf, serverOf, sessionOf, useStore } from '../../kit/databases.ts';

const ADDRESS = { projectId: 'p', serverId: 'main', kind: 'items' } as const;
const listOf = (hash: string) => ({ ...ADDRESS, hash, syncedAt: 5, entries: [{ name: hash, label: hash }] });

describe.each(engines)('a catalogue in $name', ({ open }) => {
  const db = useStore(open);
  const start = async () => {
    const { store } = db;
    await store.projects.create(projectOf('p'));
    await store.servers.create(serverOf('p', 'main'));
    const connect = () => store.sessions.open({ ...sessionOf('p', 'main'), at: 5 });
    const stored = async () => (await store.catalogues.entries(ADDRESS))?.hash;
    return { ...store, connect, stored };
  };

  it('is replaced by the newest session, in whichever order two of them store it', async () => {
    const { catalogues, connect, stored } = await start();
    const first = await connect();
    expect(await catalogues.put({ ...listOf('first'), epoch: first })).toBe(true);
    const second = await connect();
    expect(await catalogues.put({ ...listOf('second'), epoch: second })).toBe(true);
    expect(await catalogues.put({ ...listOf('late'), epoch: first })).toBe(false);
    expect(await stored()).toBe('second');
  });

  it('of the newest session wins a race', async () => {
    const { catalogues, connect, stored } = await start();
    await catalogues.put({ ...listOf('old'), epoch: await connect() });
    const [first, second] = [await connect(), await connect()];
    const puts = [first, second, first, second, first].map((epoch) =>
      catalogues.put({ ...listOf(epoch === second ? 'newest' : 'older'), epoch }),
    );
    expect(await Promise.all(puts)).toEqual([false, true, false, true, false]);
    expect(await stored()).toBe('newest');
  });

  it('that a later session left as it was is not replaced by an earlier one', async () => {
    const { catalogues, connect, stored } = await start();
    await catalogues.put({ ...listOf('known'), epoch: await connect() });
    const earlier = await connect();
    await connect();
    expect(await catalogues.put({ ...listOf('earlier'), epoch: earlier })).toBe(false);
    expect(await stored()).toBe('known');
  });
});
