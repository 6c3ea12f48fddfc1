import { createCrowd } from '../../tests/bridge/crowd.ts';
import { ESX, QBCORE } from '../../tests/bridge/frameworks.ts';
import { startGame } from '../../tests/fxserver/game.ts';
import { createMysql } from '../../tests/fxserver/mysql.ts';
import { answerQuestions } from '../children.ts';
import { type Slices, slicesOf, watchTurns } from './turns.ts';

export type GamePlan = { framework: string; stored: number; online: number };
/** The tick of a real server. */
const TICK_MS = 50;

let game: Awaited<ReturnType<typeof startGame>> | undefined;
let turns: ReturnType<typeof watchTurns> | undefined;

const running = (): NonNullable<typeof game> => {
  if (game === undefined) throw new Error('the game server is not prepared');
  return game;
};

/** A simulated game server with the resource. The resource does not run until it is connected. */
answerQuestions({
  prepare: async ({ framework, stored, online }: GamePlan): Promise<void> => {
    const world = [ESX, QBCORE].find(({ name }) => name === framework);
    if (world === undefined) throw new Error(`there is no crowd for ${framework}`);
    const mysql = createMysql();
    game = await startGame({ framework: world, mysql, url: '', token: '', tickMs: TICK_MS, speed: 1 });
    await game.server.stop('causeway');
    const crowd = createCrowd(world);
    await crowd.fill(mysql, stored);
    for (let nth = 0; nth < online; nth += 1) {
      await game.join(crowd.identifier(nth), { identifiers: [crowd.license(nth)] });
    }
    mysql.statements();
  },
  connect: async ({ url, token }: { url: string; token: string }): Promise<void> => {
    running().server.convars.set('causeway_url', url).set('causeway_token', token);
    await running().restartBridge();
  },
  watch: (): void => {
    turns = watchTurns();
  },
  watched: (): Slices | undefined => turns && slicesOf(turns.stop().map(({ wallMs }) => wallMs)),
  /** CPU of this idle process for each tick, ms. */
  idle: async ({ ticks }: { ticks: number }): Promise<number> => {
    const before = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, ticks * TICK_MS));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 / ticks;
  },
});
