import { until } from '../../tests/kit/until.ts';
import { HANGING, openGames } from './games.ts';
import { type BenchHub, startHub } from './hub.ts';
import { inMs, type Measure, percentile, spread } from './report.ts';

const CALLERS = 16;
const PLAYERS_PER_CALLER = 12;
const WARM_UP_MS = 3_000;
const SHORT = { rounds: 5, hangMs: 10_000 };
const LONG = { rounds: 3, hangMs: 60_000 };
const BOUND_MS = 10;

/** Runs callers for this time, each paying its own player; returns the time of each command. */
const giveFor = async (hub: BenchHub, forMs: number): Promise<number[]> => {
  const samples: number[] = [];
  const deadline = performance.now() + forMs;
  const give = async (caller: number): Promise<void> => {
    for (let n = 0; performance.now() < deadline; n += 1) {
      const { status, ms } = await hub.caller.money('main', `char1:${caller}-${n % PLAYERS_PER_CALLER}`);
      if (status !== 200) throw new Error(`money for another player was answered with ${status}`);
      samples.push(ms);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => give(caller)));
  return samples;
};

/** Runs the same callers without and with one player whose command hangs; returns both and the end of that command. */
const playRound = async (hub: BenchHub, games: ReturnType<typeof openGames>, hangMs: number) => {
  const free = await giveFor(hub, hangMs);
  games.forget();
  const stuck = hub.caller.money('main', HANGING, { json: { expiresInSeconds: 3_600 } });
  const { id } = await games.hangs('main');
  const hanging = await giveFor(hub, hangMs);
  games.release();
  await stuck;
  const ended = async (): Promise<boolean> =>
    (await hub.caller.ask('GET', `/api/v2/commands/${id}`)).body.status === 'succeeded';
  await until(ended, 'the hanging command has succeeded', { withinMs: 5_000 });
  return { free, hanging, moreMs: percentile(hanging, 0.99) - percentile(free, 0.99) };
};

/**
 * The effect of one player's hanging command on the other players of the server. The machine's speed varies, so both
 * cases are measured several times in turn; the result is the median of the differences.
 */
export const hangingPlayer: Measure = async ({ isFull }) => {
  const { rounds, hangMs } = isFull ? LONG : SHORT;
  const hub = await startHub(['main']);
  const games = openGames(hub, 'game');
  try {
    games.open('main');
    await games.welcomed('main');
    await giveFor(hub, WARM_UP_MS);
    const played: Awaited<ReturnType<typeof playRound>>[] = [];
    for (let n = 0; n < rounds; n += 1) played.push(await playRound(hub, games, hangMs));
    const differences = played.map(({ moreMs }) => moreMs);
    const more = percentile(differences, 0.5);
    const told = { bound: 'none', isKept: undefined };
    return [
      { ...told, what: `${CALLERS} callers, nothing hangs`, measured: spread(played.flatMap(({ free }) => free)) },
      {
        ...told,
        what: `${CALLERS} callers while the command of another player hangs for ${hangMs / 1000} s, ${rounds} times`,
        measured: spread(played.flatMap(({ hanging }) => hanging)),
      },
      {
        what: 'what that adds to p99',
        bound: `median <= ${inMs(BOUND_MS)}`,
        measured: `median ${inMs(more)} of ${differences.map(inMs).join(', ')}`,
        isKept: more <= BOUND_MS,
      },
    ];
  } finally {
    await games.kill();
    await hub.close();
  }
};
