import { expect, it } from 'vitest';
import { lentTo } from '../../kit/hub.ts';
import { insertCommand } from '../../kit/journal.ts';
import { answerAll, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { readRoutes } from '../../kit/routes.ts';
import { pathOf, startTenants } from '../../kit/tenants.ts';

/** A page of 200 rows and the one behind it, twice: the rows, and what each of them names. */
const PAGE_ROWS = 2 * 201 + 20;
/** The bound of a page (2 MiB), and the last portion of 51 rows that is read for it. */
const PAGE_CHARACTERS = 6 * 1024 * 1024;
const MANY = 1_500;
/** Short rows of another thread, all in one answer, and one such answer at a time for a project. */
const WHOLE = 'listPlayerIdentifiers';

const routes = (await readRoutes()).filter(({ method, id }) => method === 'GET' && id !== 'streamEvents');

it('no read makes more than one page in a turn of the event loop, so a neighbour is served between two', async () => {
  const { hub, own, call } = await startTenants();
  const neighbour = await lentTo(hub, 'neighbour');
  const bridge = await welcomeRaw(neighbour.bridgeUrl, neighbour.token);
  answerAll(bridge, () => ({ status: 'done', data: { account: 'bank', before: 0, after: 1 } }));
  const numbers = Array.from({ length: MANY }, (_, n) => n);
  for (let from = 0; from < MANY; from += 100) {
    const players = numbers.slice(from, from + 100).map((n) => playerFrame(`char1:p${n}`));
    await hub.store.players.upsert(hub.project.id, 'main', players, Date.now());
  }
  const reason = 'x'.repeat(900);
  await Promise.all(
    numbers.map((n) =>
      insertCommand(hub, {
        target: `char1:p${n}`,
        params: { target: `char1:p${n}`, type: 'bank', amount: 5, action: 'add', reason },
        batchId: own.batches,
      }),
    ),
  );
  const over: [string, object][] = [];
  for (const route of routes) {
    const limit = route.query.some(({ name }) => name === 'limit') ? '?limit=200' : '';
    const turn = await hub.largestTurn(async () => {
      const json = { target: 'char1:ana', type: 'bank', amount: 1, action: 'add' };
      const [paid] = await Promise.all([
        neighbour.request('/api/v2/bridge/main/money', { json }),
        call({ path: pathOf(route, own) + limit }),
      ]);
      expect(paid.status).toBe(200);
    });
    const rows = route.id === WHOLE ? 10_000 : PAGE_ROWS;
    if (turn.rows > rows || turn.characters > PAGE_CHARACTERS) over.push([route.id, turn]);
  }
  expect(over).toEqual([]);
});
