import type { Answer } from './caller.ts';
import { openGames } from './games.ts';
import { type BenchHub, startHub } from './hub.ts';
import { lineOf, type Measure } from './report.ts';
import { isEvent, monotonicMs } from './telling.ts';

const TURNS = 40;
/**
 * Warm-up turns with another bridge: they warm the hub, which runs for long in practice. The measured bridges are cold.
 */
const WARM_UP = 5;
const BOUND_MS = 50;
type Games = ReturnType<typeof openGames>;
type Post = (hub: BenchHub, server: string) => Promise<Answer>;
type Turn = { helloMs: number; welcomeMs: number; answeredMs: number };

/** A second process takes over a server while a caller posts one command after the other. */
const takeOver = async (
  hub: BenchHub,
  { newcomers, server, post }: { newcomers: Games; server: string; post: Post },
): Promise<Turn> => {
  newcomers.open(server);
  for (;;) {
    const { status, body } = await post(hub, server);
    if (status === 200 && String(body.result?.['by']).startsWith('new-')) break;
  }
  const answeredMs = monotonicMs();
  const hello = await newcomers.told(isEvent('hello', server), `the hello of ${server}`);
  const welcome = await newcomers.welcomed(server);
  return { helloMs: hello.atMs, welcomeMs: welcome.atMs, answeredMs };
};

/** One turn per server: the hub refuses the fourth takeover within a minute. */
const measure = async (post: Post): Promise<Turn[]> => {
  const servers = Array.from({ length: WARM_UP + TURNS }, (_, n) => `s${n}`);
  const hub = await startHub(servers);
  const incumbents = openGames(hub, 'old');
  const newcomers = openGames(hub, 'new');
  const others = openGames(hub, 'new-other');
  try {
    for (const server of servers) {
      incumbents.open(server);
      await incumbents.welcomed(server);
    }
    const turns: Turn[] = [];
    for (const [n, server] of servers.entries()) {
      turns.push(await takeOver(hub, { newcomers: n < WARM_UP ? others : newcomers, server, post }));
    }
    return turns.slice(WARM_UP);
  } finally {
    await incumbents.kill();
    await newcomers.kill();
    await others.kill();
    await hub.close();
  }
};

/** How soon after its hello a second instance carries out commands. */
export const takeover: Measure = async () => {
  const kicks = await measure((hub, server) => hub.caller.kick(server, 'char1:ana'));
  const money = await measure((hub, server) => hub.caller.money(server, 'char1:ana'));
  const answered = ({ helloMs, answeredMs }: Turn): number => answeredMs - helloMs;
  const welcomed = lineOf(
    'from hello to welcome',
    [...kicks, ...money].map(({ helloMs, welcomeMs }) => welcomeMs - helloMs),
    { share: 1, ms: BOUND_MS },
  );
  return [
    lineOf('from hello to the first kick it answered', kicks.map(answered), { share: 1, ms: BOUND_MS }),
    lineOf('from hello to the first money it answered', money.map(answered), { share: 1, ms: BOUND_MS }),
    { ...welcomed, bound: 'none', isKept: undefined },
  ];
};
