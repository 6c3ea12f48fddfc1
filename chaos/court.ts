import type { CommandParams, CommandResult } from '../bridge-protocol/wire/commands.ts';
import { NEVER, nameOf, type Row } from './books.ts';
import {
  jobName,
  NO_VEHICLE,
  type Parked,
  quantityName,
  type State,
  type Stock,
  type Stocks,
  statesOf,
  things,
  vehicleName,
} from './stock.ts';

/** An indeterminate command of an earlier run, and the state before that run. */
type Doubt = { claim: Claim; before: State };
type Case = { thing: string; from: State; to: State; claims: readonly Claim[] };
type MayDoubt = (name: string) => boolean;

/** Older doubts of a thing are not looked at: each one doubles the search. */
const MAX_LATE = 8;

const isSuccess = ({ row }: Claim): boolean => row.status === 'succeeded';
const isNever = ({ row }: Claim): boolean => NEVER.has(row.status);

const isDoubt = ({ row }: Claim): boolean => row.status === 'indeterminate';
/** The command has no outcome, although everything is over. */
const isLost = (claim: Claim, mayDoubt: MayDoubt): boolean =>
  !isSuccess(claim) && !isNever(claim) && !(isDoubt(claim) && mayDoubt(claim.row.name));

const stepOf = (claim: Claim): Step => {
  if (isSuccess(claim)) return { isNeeded: true, next: claim.reported };
  if (isNever(claim)) return { isNeeded: true, next: claim.refused };
  return { isNeeded: false, next: claim.happened };
};
const happened = ({ happened: next }: Claim): Step => ({ isNeeded: true, next });
/** It takes effect after all, or a framework saves an old copy of the player. */
const lateStep = (doubt: Doubt): Step & { doubt: Doubt } => {
  const { claim, before } = doubt;
  return {
    doubt,
    isNeeded: false,
    next: (state) => [...claim.happened(state), ...(claim.undone?.(state) ?? [before])],
  };
};

/** The single lie that explains the state of a thing, or the contradiction itself. */
const accuse = ({ thing, from, to, claims }: Case): string => {
  const steps = claims.map(stepOf);
  const isExplainedBy = (changed: readonly Step[]): boolean => findOrder(from, to, changed) !== undefined;
  const without = (n: number): Step[] => steps.filter((_, other) => other !== n);
  for (const [n, claim] of claims.entries()) {
    const name = nameOf(claim.row);
    if (isNever(claim)) {
      if (isExplainedBy([...without(n), happened(claim)]))
        return `wrongly reported: ${name} ${claim.row.status}, and it happened`;
      if (isExplainedBy(without(n))) return `wrongly reported: ${name} was refused for a reason that was not true`;
    } else if (isSuccess(claim)) {
      if (isExplainedBy(without(n))) return `wrongly reported: ${name} succeeded, and it did not happen`;
      if (isExplainedBy([...steps, happened(claim)])) return `doubled: ${name} took effect twice`;
    }
  }
  if (claims.length === 0) return `no row: ${thing} went from "${from}" to "${to}"`;
  const names = claims.map(({ row }) => `${nameOf(row)} ${row.status}`).join(', ');
  return `wrongly reported: ${thing} went from "${from}" to "${to}", which is not the effect of ${names}`;
};

const groupBy = <T>(items: readonly T[], keyOf: (item: T) => string | undefined): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
};

/** Plates that more than one vehicle has. */
const sharedPlates = ({ vehicles }: Stock): Map<string, Parked[]> => {
  const groups = groupBy(vehicles, ({ plate }) => things.plate(plate));
  return new Map([...groups].filter(([, owners]) => owners.length > 1));
};

/** Vehicles that stand where neither a command nor the game itself has put them. */
const strayVehicles = (
  claims: ReadonlyMap<string, Claim[]>,
  { before, after }: { before: Stock; after: Stock },
  own: readonly (string | null)[],
): string[] => {
  const shared = sharedPlates(after);
  const garages = new Map(before.vehicles.map(({ plate, garage }) => [things.plate(plate), garage]));
  return after.vehicles.flatMap(({ plate, garage }) => {
    const thing = things.plate(plate);
    if (shared.has(thing) || (!garages.has(thing) && !claims.has(thing))) return [];
    const of = (claims.get(thing) ?? []).map(({ row }) => ({
      status: row.status,
      garage: (JSON.parse(row.result ?? row.params) as { garage?: string | null }).garage ?? null,
    }));
    const put = of.filter(({ status }) => status === 'succeeded').map((each) => each.garage);
    const perhaps = of.filter(({ status }) => status === 'indeterminate').map((each) => each.garage);
    const possible = [...(put.length > 0 ? put : [garages.get(thing) ?? null]), ...perhaps];
    return possible.includes(garage) || own.includes(garage)
      ? []
      : [`wrongly reported: ${thing} stands in ${garage}, and its commands say ${possible.join(' or ')}`];
  });
};

/** Things that a save changes. Those with a doubt may be halfway between two states. */
const auditOf = ({ stored, saved }: Stocks, doubts: ReadonlyMap<string, Doubt[]>): string[] => {
  const [one, other] = [statesOf(stored), statesOf(saved)];
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter((thing) => one.get(thing) !== other.get(thing) && !doubts.get(thing)?.length)
    .map((thing) => `audit: ${thing} is stored as "${one.get(thing)}", and "${other.get(thing)}" after a save`);
};

/** Every thing that a player had or has, or that a command names. */
const casesOf = ({ before, after }: { before: Stock; after: Stock }, byThing: ReadonlyMap<string, Claim[]>): Case[] => {
  const [from, to] = [statesOf(before), statesOf(after)];
  return [...new Set([...from.keys(), ...to.keys(), ...byThing.keys()])].map((thing) => {
    const none = thing.startsWith('plate ') ? NO_VEHICLE : '0';
    return { thing, from: from.get(thing) ?? none, to: to.get(thing) ?? none, claims: byThing.get(thing) ?? [] };
  });
};

/**
 * Compares the commands that change goods with what the players have. Each thing (a count, a plate, a job) must have
 * got from its state before a run to its state after it by each command that succeeded, once, from the state that its
 * result describes, and by no other.
 */
export const createCourt = (first: Stock, ownGarages: readonly (string | null)[] = []) => {
  let before = first;
  const late = new Map<string, Doubt[]>();

  const settle = (thing: string, used: readonly Doubt[]): void => {
    late.set(
      thing,
      (late.get(thing) ?? []).filter((doubt) => !used.includes(doubt)),
    );
  };

  const judgeThing = (one: Case): string[] => {
    const { thing, from, to, claims } = one;
    const steps = claims.map(stepOf);
    if (findOrder(from, to, steps) !== undefined) return [];
    const lateSteps = (late.get(thing) ?? []).slice(-MAX_LATE).map(lateStep);
    const used = findOrder<Step & { doubt?: Doubt }>(from, to, [...steps, ...lateSteps]);
    if (used === undefined) return [accuse(one)];
    settle(
      thing,
      used.flatMap(({ doubt }) => doubt ?? []),
    );
    return [];
  };

  const judgeThings = (cases: readonly Case[], nameless: Claim[]): string[] =>
    cases.flatMap((one) => {
      const { thing, from, to, claims } = one;
      const given =
        from === to || claims.length > 0 ? -1 : nameless.findIndex((each) => each.happened(from).includes(to));
      if (given >= 0) nameless.splice(given, 1);
      const problems = given >= 0 ? [] : judgeThing(one);
      const doubts = claims.filter(isDoubt).map((claim) => ({ claim, before: from }));
      if (doubts.length > 0) late.set(thing, [...(late.get(thing) ?? []), ...doubts]);
      return problems;
    });

  return {
    /** The problems of a run. Everything has settled. */
    judge: (rows: readonly Row[], stocks: Stocks, mayDoubt: MayDoubt = () => false): string[] => {
      const { stored: after } = stocks;
      const claims = rows.flatMap((row) => claimOf(row) ?? []);
      const byThing = groupBy(claims, ({ thing }) => thing);
      // Vehicles that may have been given under a plate that the game made up.
      const nameless = claims.filter((claim) => claim.thing === undefined && isDoubt(claim));
      const shared = sharedPlates(before);
      const problems = [
        ...claims.filter((claim) => isLost(claim, mayDoubt)).map(({ row }) => `lost: ${nameOf(row)} is ${row.status}`),
        ...judgeThings(casesOf({ before, after }, byThing), nameless),
        ...[...sharedPlates(after)]
          .filter(([thing]) => !shared.has(thing))
          .map(([thing, owners]) => `doubled: ${thing} has ${owners.length} vehicles`),
        ...strayVehicles(byThing, { before, after }, ownGarages),
        ...auditOf(stocks, late),
      ];
      before = stocks.saved;
      return problems;
    },
  };
};

/** The possible states after a step. None: the step was not possible in that state. */
type Change = (state: State) => State[];

/** The effect that a command reports or denies, on the one thing that it changes. */
export type Claim = {
  row: Row;
  /** Undefined: a vehicle whose plate the game would have made up. */
  thing: string | undefined;
  /** The effect, if the command is `succeeded`: only from the state that its result describes. */
  reported: Change;
  /** No effect; only in the state that the refusal describes. */
  refused: Change;
  /** The effect, whatever the command reports. */
  happened: Change;
  /** The opposite of the effect, if that does not depend on the state before it. */
  undone?: Change;
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
  const effects: Record<typeof action, Change> = {
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

/** A step from one state of a thing to another. It may be left out unless it is needed. */
export type Step = { isNeeded: boolean; next: (state: State) => State[] };
type Place = { state: State; taken: number };

/**
 * An order of the steps that leads from one state to the other, with each step at most once; undefined: there is none.
 * Returns the steps that were not needed, as few as possible.
 */
export const findOrder = <S extends Step>(from: State, to: State, steps: readonly S[]): S[] | undefined => {
  const bits = steps.map((step, n) => ({ step, bit: 2 ** n }));
  const needed = bits.reduce((sum, { step, bit }) => (step.isNeeded ? sum + bit : sum), 0);
  const seen = new Set<string>();
  let places: Place[] = [{ state: from, taken: 0 }];
  while (places.length > 0) {
    const found: Place[] = [];
    for (const { state, taken } of places) {
      if (state === to && (taken & needed) === needed) {
        return bits.filter(({ step, bit }) => !step.isNeeded && (taken & bit) !== 0).map(({ step }) => step);
      }
      for (const { step, bit } of bits) {
        if ((taken & bit) !== 0) continue;
        for (const after of step.next(state)) {
          const place = { state: after, taken: taken | bit };
          const key = `${place.taken} ${after}`;
          if (!seen.has(key)) found.push(place);
          seen.add(key);
        }
      }
    }
    places = found;
  }
  return undefined;
};
