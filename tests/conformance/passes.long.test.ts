import { describe, expect, it } from 'vitest';
import { openFileJournal } from '../../bridge-protocol/journal/file.ts';
import type { Report } from '../../conformance/report.ts';
import type { Launcher } from '../../conformance/stage/launcher.ts';
import { type VerifyOptions, verify } from '../../conformance/verify.ts';
import { type SimulateOptions, simulate } from '../../simulator/simulate.ts';
import { newFile } from '../kit/folder.ts';
import { createDisk } from './disk.ts';
import { type Fault, type Frame, launchGame } from './game.ts';
import { goodsOf } from './goods.ts';

/** Times are long enough for every correct bridge. */
const WAITS = { heldMs: 30, toldMs: 60, awayMs: 150, hammerMs: 0 };
const BY_HAND = ['R2', 'R17', 'R36', 'R37', 'R42', 'R58'];
const WITHOUT_RUN = [...BY_HAND, 'R18', 'R33', 'R34', 'R35', 'R38'];

const judge = (launcher: Launcher, options: Partial<VerifyOptions> = {}): Promise<Report> =>
  verify({ port: 0, launcher, burst: 60, ...options, waits: { ...WAITS, ...options.waits } });

const having = ({ rules }: Report, outcome: Report['rules'][number]['outcome']): string[] =>
  rules.filter((verdict) => verdict.outcome === outcome).map(({ rule, text }) => (outcome === 'fail' ? text : rule));

/** Runs a program against a verify that was started separately, as without `--run`. */
const judgeRunning = async (start: (at: { url: string; token: string }) => () => Promise<void>): Promise<Report> => {
  let stop = async (): Promise<void> => {};
  const report = await verify({
    port: 0,
    burst: 60,
    waits: WAITS,
    token: 'cwb_test',
    onListening: ({ url }) => {
      stop = start({ url, token: 'cwb_test' });
    },
  });
  await stop();
  return report;
};

/** A frame about players without items and vehicles. */
const withoutGoods = (frame: Frame): Frame => {
  const { players, player } = frame;
  const bare = (one: unknown) => ({ ...Object(one), inventory: [], vehicles: [] });
  return {
    ...frame,
    ...(Array.isArray(players) && { players: players.map(bare) }),
    ...(player !== undefined && { player: bare(player) }),
  };
};

/** Every model and every job is one, and there are no catalogues of them. */
const listless: Fault = {
  options: ({ catalogues, ...options }) => ({
    ...options,
    ...(catalogues?.items && { catalogues: { items: catalogues.items } }),
  }),
  handlers: ({ vehicles, job, ...others }) => ({
    ...others,
    vehicles: async (order, context) => {
      const outcome = await vehicles({ ...order, ...(order.action === 'give' && { model: 'adder' }) }, context);
      if (outcome.status !== 'done' || order.action !== 'give') return outcome;
      return { ...outcome, data: { ...outcome.data, model: order.model } };
    },
    job: async (order, context) => {
      const outcome = await job({ ...order, ...(order.job !== 'none' && { job: 'police' }) }, context);
      const after = { job: order.job, grade: order.grade };
      return outcome.status === 'done' ? { ...outcome, data: { ...outcome.data, after } } : outcome;
    },
  }),
};

/** A machine that needs `ms` to read a frame. */
const readsSlowly = (ms: number): Fault => {
  let isFreeAt = 0;
  return {
    in: (frame, wire) => {
      isFreeAt = Math.max(isFreeAt, performance.now()) + ms;
      setTimeout(() => wire.hear(frame), isFreeAt - performance.now());
      return [];
    },
  };
};

/** A game that stores a number of each model, and shows it. */
const numbersModels: Fault = {
  out: (frame) => [
    JSON.parse(JSON.stringify(frame).replaceAll('"model":"adder","label"', '"model":"-1216765807","label"')),
  ],
};

/** A player who chooses a character when the bridge connects, and plays right after that. */
const choosesFirst: Fault = {
  out: (frame) => {
    if (frame.type !== 'players.snapshot') return [frame];
    const [ana, ...others] = frame['players'] as object[];
    const revision = Number(frame['revision']) + 1;
    return [
      { ...frame, players: [{ ...ana, playable: false }, ...others] },
      { type: 'players.changed', revision, players: [{ ...ana, playable: true }] },
    ];
  },
};

/** After 4509 the next connection is that of another process. */
const supervised = (): Fault => {
  let starts = 0;
  return {
    events: (events) => ({
      ...events,
      close: (code, reason) => {
        if (code === 4509) starts += 1;
        events.close(code === 4509 ? 1006 : code, reason);
      },
    }),
    out: (frame) => [frame.type === 'hello' && starts > 0 ? { ...frame, instance: `started ${starts}` } : frame],
  };
};

describe.concurrent('verify passes', () => {
  it('the reference bridge, whatever it is killed in the middle of', async () => {
    const custom = { name: 'greet', params: { name: 'ana' } };
    const report = await judge(launchGame(), { cast: { kick: 'char1:cy', custom } });
    expect(having(report, 'fail')).toEqual([]);
    expect(having(report, 'not tried')).toEqual(BY_HAND);
    expect(report.rules).toHaveLength(60);
    expect(report.cast).toEqual({ target: 'char1:ana', other: 'char1:bo', kick: 'char1:cy', custom });
    expect(report.bridge).toMatchObject({ software: { name: 'test-game' }, journal: { class: 'durable' } });
  });

  it('the reference bridge with a journal in a file, which it did not start', async () => {
    const journal = openFileJournal({ path: newFile('journal.ndjson') });
    const game = launchGame({ journal: () => journal });
    const report = await judgeRunning((at) => {
      game.start({ ...at, onEnd: () => {} });
      return () => game.kill('SIGTERM');
    });
    await journal.close();
    expect(having(report, 'fail')).toEqual([]);
    expect(having(report, 'not tried').sort()).toEqual(WITHOUT_RUN.sort());
  });

  it('the simulated game server, while it lives', async () => {
    const options: Partial<SimulateOptions> = { players: 50, worldFile: newFile('world.db') };
    const report = await judgeRunning((at) => {
      const timings = { reconnectBaseMs: 20, reconnectMaxMs: 80 };
      return simulate({ players: 50, ...options, ...at, timings }).stop;
    });
    expect(having(report, 'fail')).toEqual([]);
    expect(having(report, 'pass')).toEqual(expect.arrayContaining(['R24', 'R31', 'R53', 'R54', 'R55', 'R56']));
  });

  it('the slow checks, with shorter times', async () => {
    const timings = { reconnectBaseMs: 10, reconnectMaxMs: 40, silenceMs: 500 };
    const game = launchGame({ options: (options) => ({ ...options, timings }) });
    const waits = { silenceMs: 500, stableMs: 100, graceMs: 2_500, backoffBaseMs: 10, pingEveryMs: 50 };
    const report = await judge(game, { isSlow: true, only: ['R17', 'R23', 'R45'], waits });
    expect(report).toMatchObject({ passed: 3, failed: 0, notTried: 0 });
  });

  it('a bridge on a slow machine, which reads a burst for longer than it may stay silent', async () => {
    const report = await judge(launchGame(readsSlowly(10)), { only: ['R27', 'R29'], waits: { answerMs: 400 } });
    expect(report).toMatchObject({ passed: 2, failed: 0, notTried: 0 });
  });

  it('although the game itself changes balances', async () => {
    const restless: Fault = {
      handlers: ({ kick, money }, { banks }) => ({
        kick,
        money: (params, context) => {
          banks.set(params.target, (banks.get(params.target) ?? 0) + 1_000);
          return money(params, context);
        },
      }),
    };
    const report = await judge(launchGame(restless), { only: ['R24', 'R28'] });
    expect(having(report, 'not tried')).toEqual(['R24', 'R28']);
    expect(report.rules[0]?.text).toBe('the balance of char1:ana moves by itself');
  });

  it('over money where the bridge only kicks', async () => {
    const game = launchGame({ handlers: ({ kick }) => ({ kick }) });
    const report = await judge(game, { only: ['R16', 'R24', 'R26', 'R31'], cast: { kick: 'char1:cy' } });
    expect(having(report, 'fail')).toEqual([]);
    expect(having(report, 'pass')).toEqual(['R16', 'R24', 'R26', 'R31']);
  });

  it('a bridge that ends after 4509 and that a supervisor starts again', async () => {
    const report = await judge(launchGame(supervised()), { only: ['R10', 'R18', 'R43'], waits: { awayMs: 2_000 } });
    expect(having(report, 'fail')).toEqual([]);
    expect(report.rules.at(-1)?.text).toContain('another instance dialled after 4509');
  });

  it('leaves every balance, item, vehicle and job as it was', async () => {
    const disk = createDisk();
    await judge(launchGame({}, disk), { only: ['R24', 'R28', 'R31', 'R34', 'R55', 'R56'] });
    expect([...disk.banks.values()]).toEqual([1_000, 50, 0]);
    expect(goodsOf(disk.goods, 'char1:ana')).toMatchObject({ inventory: [{ name: 'bread', count: 3 }], vehicles: [] });
    expect([...disk.goods.vehicles.keys()]).toEqual(['BO 1']);
    expect(disk.goods.jobs.get('char1:ana')).toEqual({ job: 'none', grade: 0 });
  });

  it('the item that was named, although the player has it', async () => {
    const disk = createDisk();
    const report = await judge(launchGame({}, disk), { only: ['R31', 'R55'], cast: { item: 'bread' } });
    expect(report).toMatchObject({ passed: 2, failed: 0 });
    expect(disk.goods.bags.get('char1:ana')?.get('bread')).toBe(3);
  });

  it('a bridge that loses volatile items in a crash', async () => {
    const forgetful: Fault = {
      options: (options) => ({ ...options, classes: { items: 'volatile' } }),
      starts: ({ goods }) => goods.bags.clear(),
    };
    const report = await judge(launchGame(forgetful), { only: ['R34', 'R42'] });
    expect(having(report, 'fail')).toEqual([]);
    expect(report.rules[0]?.text).toContain('items@1 is volatile: a crash may undo what was done');
  });

  it('over items that no record shows, and over commands that are not declared', async () => {
    const silent: Fault = {
      handlers: ({ kick, items, vehicles }) => ({ kick, items, vehicles }),
      out: (frame) => [withoutGoods(frame)],
    };
    const report = await judge(launchGame(silent), { only: ['R24', 'R31', 'R53', 'R54', 'R55', 'R56'] });
    expect(having(report, 'fail')).toEqual([]);
    expect(having(report, 'not tried')).toEqual(['R53']);
    const texts = new Map<string, string>(report.rules.map(({ rule, text }) => [rule, text]));
    expect(texts.get('R24')).toContain('the records of players have no vehicles');
    expect(texts.get('R54')).toContain('the bridge does not declare job@1');
  });

  it('a bridge that reports who can play, as soon as they can', async () => {
    const report = await judge(launchGame(choosesFirst), { only: ['R58'] });
    expect(report).toMatchObject({ passed: 1, failed: 0 });
  });

  it('a game that shows a number for the model that was given', async () => {
    const report = await judge(launchGame(numbersModels), { only: ['R24', 'R31', 'R42', 'R56'] });
    expect(having(report, 'fail')).toEqual([]);
    expect(having(report, 'pass')).toEqual(['R24', 'R31', 'R56']);
  });

  it('a game without lists of models and jobs, which takes every name', async () => {
    const disk = createDisk();
    const report = await judge(launchGame(listless, disk), { only: ['R31', 'R54', 'R55', 'R56'] });
    expect(having(report, 'fail')).toEqual([]);
    const text = report.rules.find(({ rule }) => rule === 'R54')?.text;
    expect(text).toContain('the bridge sent no catalogue of vehicles: the game may have no list');
    expect(text).toContain('the bridge sent no catalogue of jobs: the game may have no list');
    expect([...disk.goods.vehicles.keys()]).toEqual(['BO 1']);
    expect(disk.goods.jobs.get('char1:ana')).toEqual({ job: 'none', grade: 0 });
  });
});
