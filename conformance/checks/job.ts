import type { Result } from '../judges/book.ts';
import { Breach, NotTried } from '../judges/findings.ts';
import { endedAs } from '../stage/goods.ts';
import type { Stage } from '../stage/stage.ts';
import type { Check } from './check.ts';
import { expectRefusal } from './refusals.ts';

type Held = { job: string; grade: number };

/** How many jobs of the catalogue are tried until the player takes one. */
const TRIES = 5;
/** A grade over those that the catalogue names. */
const BEYOND = 1_000;

const order = ({ command, target }: Stage, held: Held) =>
  command('job', { target: target(), reason: 'verify', ...held });

/** The book has judged that the data of a completed command has both jobs. */
const heldIn = ({ data }: Result, when: 'before' | 'after'): Held => {
  const { job, grade } = { job: '', grade: 0, ...Object(data?.[when]) };
  return { job, grade };
};

const isSame = (one: Held, other: Held): boolean => one.job === other.job && one.grade === other.grade;
const shown = ({ job, grade }: Held): string => `${job} ${grade}`;

/** The jobs of the catalogue, each with its first grade. */
const jobsOf = ({ hub }: Stage): Held[] => {
  const entries = hub.catalogue('jobs').slice(0, TRIES);
  if (entries.length === 0) throw new NotTried('the bridge sent no catalogue of jobs');
  return entries.map(({ name, grades }) => ({ job: name, grade: grades?.[0]?.grade ?? 0 }));
};

/** Sets the first job that the player may have and does not have. */
const setFirst = async (stage: Stage) => {
  let why = '';
  for (const held of jobsOf(stage)) {
    const sent = order(stage, held);
    const result = await stage.carryOut(sent);
    const former = heldIn(result, 'before');
    if (result.status === 'done' && !isSame(former, held)) return { sent, held, former };
    why = result.status === 'done' ? 'the player has the only job' : endedAs(sent, result);
  }
  throw new NotTried(why);
};

const setsTruly = async (stage: Stage): Promise<void> => {
  const { carryOut, acknowledge } = stage;
  const { sent, held, former } = await setFirst(stage);
  const back = await carryOut(order(stage, former));
  if (back.status !== 'done') throw new NotTried(`the job ${shown(former)} could not be set again`);
  if (!isSame(heldIn(back, 'before'), held)) {
    const saw = `${shown(held)} was set, and the next command found ${shown(heldIn(back, 'before'))}`;
    throw new Breach({ rule: 'R31', saw });
  }
  await carryOut({ ...sent, attempt: 2 });
  const found = heldIn(await carryOut(order(stage, former)), 'before');
  acknowledge();
  if (isSame(found, former)) return;
  const saw = `${shown(former)} was set, the earlier command came again, and the next one found ${shown(found)}`;
  throw new Breach({ rule: isSame(found, held) ? 'R24' : 'R31', saw });
};

const refusesGrade = async (stage: Stage): Promise<void> => {
  const { hub, carryOut } = stage;
  const [first] = jobsOf(stage);
  const grades = hub.catalogue('jobs')[0]?.grades ?? [];
  const grade = Math.max(0, ...grades.map((one) => one.grade)) + BEYOND;
  const sent = order(stage, { job: first?.job ?? '', grade });
  const result = await carryOut(sent);
  if (result.status === 'done') await carryOut(order(stage, heldIn(result, 'before')));
  if (result.error?.code === 'player_offline') throw new NotTried(endedAs(sent, result));
  expectRefusal('R54', result, 'unknown_grade', sent);
};

/** Checks of the job of one player. */
export const JOB_CHECKS: readonly Check[] = [
  {
    rules: ['R31', 'R24'],
    name: 'sets a job, and the former one again',
    needs: ['job'],
    run: setsTruly,
  },
  {
    rules: ['R54'],
    name: 'refuses a grade that the job does not have',
    needs: ['job'],
    run: refusesGrade,
  },
];
