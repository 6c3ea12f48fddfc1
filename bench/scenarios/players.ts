import type { Child } from '../children.ts';
import type { Contestant } from '../contestants.ts';
import type { Load } from '../load/callers.ts';
import type { ReadPlan } from '../load/reader.ts';
import { EMPTY_SERVER, identifierOf, POPULATION_SERVERS, type Population, population } from '../population.ts';
import { withPostgres } from '../postgres.ts';
import type { Circumstances, Figures, Scenario } from '../scenario.ts';
import { assertAnswered, connectBridges, getJson, kick, withHub } from '../stand.ts';
import { round } from '../statistics.ts';

const ROWS = 1_000_000;
const QUICK_ROWS = 10_000;
const CURSORS = 8;
const SEARCHERS = 8;

const LIST = '/api/v2/players';
const MANY = 200;

/** The requested paths, and the correct `total` of the first path; undefined if it depends on the names. */
type Read = { paths: readonly string[]; total?: number; isSearch?: true };

const find = (terms: readonly string[], total?: number): Read => ({
  paths: terms.map((term) => `${LIST}?search=${encodeURIComponent(term)}`),
  isSearch: true,
  ...(total === undefined ? {} : { total }),
});

/** Identifiers of players on all servers. */
const some = (players: number): string[] =>
  Array.from({ length: MANY }, (_, n) => identifierOf(Math.floor((n * players) / MANY)));

/** Each kind of request that lists or searches players. `cursors` point deep into the order by last seen. */
const playerReads = ({ players }: Population, cursors: readonly string[]): Record<string, Read> => ({
  /** A request that reads no player: the base cost of every answer, to be subtracted from the others. */
  empty: { paths: [`${LIST}?serverId=${EMPTY_SERVER}`], total: 0 },
  first: { paths: [LIST], total: players },
  firstByLastSeen: { paths: [`${LIST}?sort=lastSeen`], total: players },
  firstByName: { paths: [`${LIST}?sort=name`], total: players },
  offsetHalf: { paths: [`${LIST}?sort=lastSeen&offset=${players / 2}`], total: players },
  cursorDeep: { paths: cursors.map((cursor) => `${LIST}?sort=lastSeen&cursor=${cursor}`), total: players },
  detail: { paths: some(players).map((identifier) => `${LIST}/${encodeURIComponent(identifier)}`) },
  /** Searches with one hit each. */
  searchRare: find(
    some(players).map((identifier) => identifier.slice(12, 28)),
    1,
  ),
  /** First names: about 1 % of all players. */
  searchName: find(['zofia', 'kılıç', 'Sean', 'Олена', 'maëlle', 'Øvergård']),
  /** A third of all players. */
  searchCommon: find(['char2'], Math.min(10_000, Math.ceil(players / 3))),
  /** Letters that occur in many names, and letters that occur in few. */
  search1: find(['a', 'n', '9', 'я', '健', '🔥']),
  search2: find(['an', 'so', 'ко', '9f', '佐藤', 'q ']),
  searchNone: find(['no player has this name', 'zofia wójcik zofia', 'xyzzy'], 0),
  searchNone2: find(['xq', 'qx', 'щщ'], 0),
});

type Page = { pagination: { total: number; next: string | null } };

const ms = (micros: number): number => round(micros / 1_000, 2);

/** Cursors from pages in the second half of the order. */
const deepCursors = async (hub: Contestant, players: number): Promise<string[]> => {
  const cursors: string[] = [];
  for (let n = 0; n < CURSORS; n += 1) {
    const offset = Math.floor(players * (0.5 + n / (2 * CURSORS)));
    const page = await getJson<Page>(hub, `/api/v2/players?sort=lastSeen&limit=1&offset=${offset}`);
    if (page.pagination.next !== null) cursors.push(page.pagination.next);
  }
  return cursors;
};

const assertTotal = async (hub: Contestant, kind: string, { paths: [path], total }: Read): Promise<void> => {
  if (path === undefined || total === undefined) return;
  const { pagination } = await getJson<Page>(hub, path);
  if (pagination.total !== total) throw new Error(`${kind}: the total is ${pagination.total} and not ${total}`);
};

const askFor = async (
  { port, headers }: Contestant,
  reader: Child,
  plan: Pick<ReadPlan, 'paths' | 'callers' | 'forMs'>,
): Promise<Load> => {
  const question: ReadPlan = { port, headers, ...plan };
  const load = await reader.ask<Load>({ do: 'read', ...question });
  assertAnswered(plan.paths[0] ?? '', load);
  return load;
};

/** Each kind of read by one caller, ms. */
const readEach = async (
  hub: Contestant,
  reader: Child,
  reads: Record<string, Read>,
  forMs: number,
): Promise<Figures> => {
  const figures: Figures = {};
  for (const [kind, read] of Object.entries(reads)) {
    await assertTotal(hub, kind, read);
    const { paths } = read;
    await askFor(hub, reader, { paths, callers: 1, forMs: forMs / 4 });
    const { p50Us, p99Us } = await askFor(hub, reader, { paths, callers: 1, forMs });
    figures[`${kind}P50Ms`] = ms(p50Us);
    figures[`${kind}P99Ms`] = ms(p99Us);
  }
  return figures;
};

/** Kicks by one caller, and their times while other callers run every kind of search at full speed, ms. */
const kickMeanwhile = async (
  hub: Contestant,
  { reader, worker }: { reader: Child; worker: Child },
  reads: Record<string, Read>,
  forMs: number,
): Promise<Figures> => {
  const paths = Object.values(reads).flatMap((read) => (read.isSearch ? read.paths.slice(0, 6) : []));
  await kick(hub, worker, { callers: 1, forMs: forMs / 2 });
  const alone = await kick(hub, worker, { callers: 1, forMs });
  const [searched, meanwhile] = await Promise.all([
    askFor(hub, reader, { paths, callers: SEARCHERS, forMs: forMs + 500 }),
    kick(hub, worker, { callers: 1, forMs }),
  ]);
  return {
    kickAloneP99Ms: ms(alone.p99Us),
    // No kick finished in that time: each took longer.
    kickP50Ms: meanwhile.requests === 0 ? forMs : ms(meanwhile.p50Us),
    kickP99Ms: meanwhile.requests === 0 ? forMs : ms(meanwhile.p99Us),
    kicksPerSecond: meanwhile.perSecond,
    searchesPerSecond: searched.perSecond,
    searchP99Ms: ms(searched.p99Us),
  };
};

const measure = (
  stock: Population,
  { isQuick, isPinned }: Pick<Circumstances, 'isQuick' | 'isPinned'>,
): Promise<Figures> =>
  withHub({ isPinned, servers: POPULATION_SERVERS, on: stock }, async (stand) => {
    const [hub, reader, worker] = [stand.hub, stand.reader(), stand.worker()];
    await connectBridges(hub, worker, POPULATION_SERVERS.slice(0, 1));
    const reads = playerReads(stock, await deepCursors(hub, stock.players));
    const forMs = isQuick ? 100 : 2_000;
    const figures = await readEach(hub, reader, reads, forMs);
    const kicked = { ...hub, servers: POPULATION_SERVERS.slice(0, 1) };
    return { ...figures, ...(await kickMeanwhile(kicked, { reader, worker }, reads, forMs * 2)) };
  });

/** Listing and searching over REST, one caller after the other, p50 and p99 in ms; the same on both databases. */
export const players: Scenario = {
  name: 'players',
  about: 'Lists and searches of players, and kicks beside them.',
  isQuick: true,
  run: async (circumstances) => {
    const rows = circumstances.isQuick ? QUICK_ROWS : ROWS;
    const ours = { rows, ...(await measure(await population(rows), circumstances)) };
    const url = process.env['BENCH_POSTGRES_URL'];
    if (circumstances.isQuick) return { ours, peers: {}, ratios: {} };
    if (url === undefined) {
      process.stderr.write('bench: PostgreSQL was not measured, for BENCH_POSTGRES_URL is not set\n');
      return { ours, peers: {}, ratios: {} };
    }
    const figures = await withPostgres(url, rows, (stock) => measure(stock, circumstances));
    return { ours, peers: { 'causeway, PostgreSQL': { rows, ...figures } }, ratios: {} };
  },
};
