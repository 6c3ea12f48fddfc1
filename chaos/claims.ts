import type { CommandParams, CommandResult } from '../bridge-protocol/wire/commands.ts';
import type { Row } from './rows.ts';
import { jobName, NO_VEHICLE, quantityName, type State, things, vehicleName } from './stock.ts';

/** The possible states after a step. None: the step was not possible in that state. */
type Step = (state: State) => State[];

/** The effect that a command reports or denies, on the one thing that it changes. */
export type Claim = {
  row: Row;
  /** Undefined: a vehicle whose plate the game would have made up. */
  thing: string | undefined;
  /** The effect, if the command is `succeeded`: only from the state that its result describes. */
  reported: Step;
  /** No effect; only in the state that the refusal describes. */
  refused: Step;
  /** The effect, whatever the command reports. */
  happened: Step;
  /** The opposite of the effect, if that does not depend on the state before it. */
  undone?: Step;
};
type Steps = Omit<Claim, 'row'>;

type Refusal = { code?: string; details?: { count?: number } };
type Told<N extends 'items' | 'vehicles' | 'job'> = {
  params: CommandParams<N>;
  result: Partial<CommandResult<N>>;
  refusal: Refusal;
};

/** The state itself, if it may be so. */
const only = (state: State, isPossible: boolean): State[] => (isPossible ? [state] : []);

const itemSteps = ({ params, result, refusal }: Told<'items'>): Steps => {
  const { target, action, count, allowPartial } = params;
  const sign = action === 'add' ? 1 : -1;
  const { before, after = Number.NaN, applied = count } = result;
  const { count: had } = refusal.details ?? {};
  const moves = allowPartial ? Array.from({ length: count }, (_, n) => n + 1) : [count];
  const moved = (state: State, by: number): State[] =>
    moves
      .map((move) => Number(state) + by * move)
      .filter((left) => left >= 0)
      .map(String);
  return {
    thing: things.items(target, quantityName(params)),
    reported: (state) => only(String(after), Number(state) === before && before + sign * applied === after),
    refused: (state) => only(state, refusal.code !== 'not_enough_items' || had === undefined || Number(state) === had),
    happened: (state) => moved(state, sign),
    undone: (state) => moved(state, -sign),
  };
};

const vehicleSteps = ({ params, result, refusal }: Told<'vehicles'>): Steps => {
  const { target, action, model = result.model } = params;
  const plate = result.plate ?? params.plate;
  const own = vehicleName(target, model);
  const isOwn = (state: State): boolean => state.startsWith(`${target} `);
  const refusedIn: Record<string, (state: State) => boolean> = {
    plate_taken: (state) => state !== NO_VEHICLE,
    vehicle_not_found: (state) => !isOwn(state),
    vehicle_out: isOwn,
  };
  const effects: Record<typeof action, Step> = {
    give: (state) => [state === NO_VEHICLE ? own : [state, own].sort().join(' and ')],
    take: (state) => only(NO_VEHICLE, isOwn(state)),
    store: (state) => only(state, isOwn(state)),
  };
  return {
    thing: plate === undefined ? undefined : things.plate(plate),
    reported: (state) => (state === (action === 'give' ? NO_VEHICLE : own) ? effects[action](state) : []),
    refused: (state) => only(state, refusedIn[refusal.code ?? '']?.(state) ?? true),
    happened: effects[action],
  };
};

/** Qbox takes the old job away first. An interruption in the middle is an effect, and the command is indeterminate. */
const HALFWAY = jobName('unemployed', 0);

const jobSteps = ({ params, result }: Told<'job'>): Steps => {
  const { target, job, grade } = params;
  const after = jobName(job, grade);
  return {
    thing: things.job(target),
    reported: (state) => only(after, state === jobName(result.before?.job, result.before?.grade)),
    refused: (state) => [state],
    happened: () => [after, HALFWAY],
  };
};

/** The claim of a command that changes goods; undefined: a command of money. */
export const claimOf = (row: Row): Claim | undefined => {
  const told = {
    params: JSON.parse(row.params),
    result: JSON.parse(row.result ?? '{}'),
    refusal: JSON.parse(row.error ?? '{}'),
  };
  switch (row.name) {
    case 'items':
      return { row, ...itemSteps(told) };
    case 'vehicles':
      return { row, ...vehicleSteps(told) };
    case 'job':
      return { row, ...jobSteps(told) };
    default:
      return undefined;
  }
};
