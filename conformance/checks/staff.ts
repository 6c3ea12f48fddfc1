import { commandTag, tagFor } from '../../bridge-protocol/wire/commands.ts';
import { LIMITS } from '../../bridge-protocol/wire/limits.ts';
import type { Result } from '../judges/book.ts';
import { Breach, NotTried, undeclared } from '../judges/findings.ts';
import { endedAs, plainPlate } from '../stage/goods.ts';
import type { Stage } from '../stage/stage.ts';
import type { Check } from './check.ts';
import { expectRefusal, NOBODY } from './refusals.ts';
import { SAMPLES, STAFF_NAMES, type StaffName, TEXT } from './samples.ts';

type Work = (stage: Stage, name: StaffName) => Promise<void>;

/** Does the work with each of the commands that the bridge declares; the others were not tried. */
const withEach = (rules: Check['rules'], names: readonly StaffName[], work: Work): Check['run'] => {
  return async (stage) => {
    const { hub, findings } = stage;
    const declared = names.filter((name) => hub.hello()?.commands.includes(commandTag(name)));
    const why = undeclared(...names.filter((name) => !declared.includes(name)).map(commandTag));
    if (declared.length === 0) throw new NotTried(why);
    for (const name of declared) await work(stage, name);
    if (declared.length === names.length) return;
    for (const rule of rules) findings.skipped(rule, { check: names.join(), why });
  };
};

const refusesUnfit: Work = async ({ command, carryOut }, name) => {
  const { params, unfit } = SAMPLES[name];
  for (const changes of unfit) {
    const sent = command(name, { ...params(NOBODY), ...changes });
    expectRefusal('R26', await carryOut(sent), 'invalid_params', sent);
  }
};

const rejectsStranger: Work = async ({ command, carryOut }, name) => {
  const result = await carryOut(command(name, SAMPLES[name].params(NOBODY)));
  if (result.status === 'rejected' || result.status === 'failed') return;
  throw new Breach({
    rule: 'R32',
    expected: `${name} for an unknown player to be rejected`,
    saw: JSON.stringify(result),
  });
};

/** Takes back what a command gave that should have been refused. */
const takeBack = async ({ goods, command, carryOut, target }: Stage, name: StaffName, { data }: Result) => {
  if (name === 'vehicles') await goods.takeAway(plainPlate(data?.['plate']));
  if (name === 'job') await carryOut(command('job', { target: target(), ...Object(data?.['before']) }));
};

/** A game without a list of models or jobs takes every name, and sends no catalogue of them. */
const refusesUnknown: Work = async (stage, name) => {
  const { command, carryOut, target, hub, findings } = stage;
  const { params, unknown = '', list } = SAMPLES[name];
  const sent = command(name, params(target()));
  const result = await carryOut(sent);
  if (result.error?.code === 'player_offline') throw new NotTried(endedAs(sent, result));
  if (result.status === 'done') await takeBack(stage, name, result);
  if (result.status !== 'done' || list === undefined || hub.catalogue(list).length > 0) {
    return expectRefusal('R54', result, unknown, sent);
  }
  findings.skipped('R54', { check: name, why: `the bridge sent no catalogue of ${list}: the game may have no list` });
};

/** The parameters of an action, one after the other; the last ones take back what the first ones did. */
const turnsOf = (name: StaffName, target: string): readonly Record<string, unknown>[] => {
  const params = SAMPLES[name].params(target);
  return name === 'freeze' ? [{ ...params, frozen: true }, params] : [params];
};

/** The book judges the data of a completed action, and whether its answer stays the same. */
const answersAction: Work = async ({ command, carryOut, target, findings }, name) => {
  for (const params of turnsOf(name, target())) {
    const sent = command(name, params);
    const result = await carryOut(sent, { rule: 'R29' });
    if (result.status !== 'done') findings.skipped('R31', { check: name, why: endedAs(sent, result) });
    await carryOut({ ...sent, attempt: 2 });
  }
};

/** A command that comes four times has one effect; `tally` counts it. */
const onceOf = (name: 'items' | 'vehicles'): Check => ({
  rules: ['R24'],
  name: `carries out once a command of ${name} that comes twice`,
  needs: [name],
  run: async (stage) => {
    const { moves, deliver, result, carryOut, shelf, acknowledge } = stage;
    const of = await shelf.tally(name);
    await moves({ rule: 'R24', what: 'one id, delivered four times,', units: 3, of }, async () => {
      const command = of.order();
      for (const attempt of [1, 2, 3]) deliver({ ...command, attempt });
      const { status } = await result(command.id);
      await carryOut({ ...command, attempt: 4 });
      acknowledge();
      return { least: status === 'done' ? 1 : 0, most: status === 'done' || status === 'indeterminate' ? 1 : 0 };
    });
  },
});

const someone = (nth: number): string => `${NOBODY}:${nth}`;
/** Lists that are no players, each once. */
const NO_TARGETS: readonly unknown[] = [
  [],
  [''],
  [NOBODY, NOBODY],
  NOBODY,
  Array.from({ length: LIMITS.announceTargets + 1 }, (_, nth) => someone(nth)),
];

/** An announcement to players whom the game does not have reaches none. */
const ANNOUNCING: Check = {
  rules: ['R60'],
  name: 'shows an announcement to the chosen players only',
  run: async ({ hub, command, carryOut }) => {
    const announce = (targets: unknown) => command('announce', { message: TEXT, targets });
    const tag = tagFor('announce', { targets: [NOBODY] });
    if (hub.hello()?.commands.includes(tag) !== true) throw new NotTried(undeclared(tag));
    for (const targets of NO_TARGETS) {
      const sent = announce(targets);
      expectRefusal('R26', await carryOut(sent), 'invalid_params', sent);
    }
    const all = announce(Array.from({ length: LIMITS.announceTargets }, (_, nth) => someone(nth)));
    const result = await carryOut(all);
    if (result.status === 'done' && result.data?.['players'] === 0) return;
    if (result.error?.code === 'refused') throw new NotTried(endedAs(all, result));
    throw new Breach({
      rule: 'R60',
      expected: 'an announcement to players who do not exist to be done, with 0 players',
      saw: JSON.stringify(result),
    });
  },
};

const eachOf = (rules: Check['rules'], name: string, names: readonly StaffName[], work: Work): Check => ({
  rules,
  name,
  withinMs: 150_000,
  run: withEach(rules, names, work),
});

const ACTIONS: readonly StaffName[] = ['announce', 'message', 'revive', 'heal', 'freeze', 'teleport'];
const TARGETED = STAFF_NAMES.filter((name) => SAMPLES[name].params(NOBODY)['target'] === NOBODY);
const NAMING = STAFF_NAMES.filter((name) => SAMPLES[name].unknown !== undefined);

/** Checks that are alike for all staff commands. */
export const STAFF_CHECKS: readonly Check[] = [
  eachOf(['R26'], 'refuses staff commands with parameters that do not fit', STAFF_NAMES, refusesUnfit),
  eachOf(['R32'], 'rejects staff commands for an unknown player', TARGETED, rejectsStranger),
  eachOf(['R54'], 'refuses an item, a model and a job that the game does not have', NAMING, refusesUnknown),
  eachOf(['R31', 'R24'], 'answers actions, and says who saw their effect', ACTIONS, answersAction),
  ANNOUNCING,
  onceOf('items'),
  onceOf('vehicles'),
];
