import { type Exploration, type Step, search } from './search.ts';

/**
 * A command that waits for its player, and its rounds. Inside of a round, the protocol with its journal does what the
 * other model explores; here a round is one frame, one entry of the journal and its answer, which may come late, twice
 * or not at all.
 */
type Answer = 'done' | 'offline' | 'voided';
type Status = 'waiting' | 'accepted' | 'dispatched' | 'succeeded' | 'voided' | 'expired' | 'rejected';
/** A rule that is broken on purpose: the model must notice. */
export type RoundMutation = 'one id for all rounds' | 'a round after a doubt' | 'answers of earlier rounds count';
export type RoundConfig = { mutation?: RoundMutation; turns: number; kills: number; repeats: number; voids: number };

export type Rounds = {
  status: Status;
  round: number;
  isVoidAsked: boolean;
  isOnline: boolean;
  isLate: boolean;
  effects: number;
  /** A player who plays was told to be away, because an earlier round had found them away. */
  isStuck: boolean;
  /** Frames on their way to the bridge, by wire id. */
  commands: number[];
  voids: number[];
  /** The journal of the bridge, by wire id. */
  journal: Record<number, Answer>;
  /** The round in which each entry was made. */
  answeredIn: Record<number, number>;
  answers: { id: number; answer: Answer }[];
  left: { turns: number; kills: number; repeats: number; voids: number };
};

const MAX_ROUNDS = 3;
const OVER: ReadonlySet<Status> = new Set(['succeeded', 'voided', 'expired', 'rejected']);

const without = <T>(list: readonly T[], index: number): T[] => list.filter((_, n) => n !== index);

const rounds = ({ mutation, ...left }: RoundConfig) => {
  const wireId = (round: number): number => (mutation === 'one id for all rounds' ? 1 : round);

  const answer = (world: Rounds, id: number): void => {
    const said = world.journal[id];
    if (said !== undefined) world.answers.push({ id, answer: said });
  };

  /** The hub reads an answer: one of an earlier round says nothing of this one. */
  const hear = (world: Rounds, { id, answer: said }: Rounds['answers'][number]): void => {
    const isOfThisRound = id === wireId(world.round) || mutation === 'answers of earlier rounds count';
    if (world.status !== 'dispatched' || !isOfThisRound) return;
    if (said === 'done') world.status = 'succeeded';
    else if (!world.isLate && !world.isVoidAsked) world.status = 'waiting';
    else world.status = said === 'voided' ? 'voided' : 'rejected';
  };

  const hubSteps = (world: Rounds): Step<Rounds>[] => {
    const { status, isOnline, isLate, round } = world;
    const mayBegin = status === 'waiting' || (mutation === 'a round after a doubt' && status === 'dispatched');
    const steps: Step<Rounds>[] = [];
    if (mayBegin && isOnline && !isLate && round < MAX_ROUNDS) {
      steps.push({
        name: 'a round begins',
        take: (w) => void Object.assign(w, { status: 'accepted', round: round + 1 }),
      });
    }
    if (status === 'accepted' && !isLate) {
      steps.push({
        name: 'the command is sent',
        take: (w) => {
          w.status = 'dispatched';
          w.commands.push(wireId(round));
        },
      });
    }
    if (isLate && (status === 'waiting' || status === 'accepted')) {
      steps.push({ name: 'it expires', take: (w) => void Object.assign(w, { status: 'expired' }) });
    }
    return steps;
  };

  const bridgeSteps = (world: Rounds): Step<Rounds>[] => [
    ...world.commands.map((id, n) => ({
      name: `the bridge reads command ${id}`,
      take: (w: Rounds) => {
        w.commands = without(w.commands, n);
        const isOfNow = id === wireId(w.round) && w.isOnline;
        if (isOfNow && w.journal[id] === 'offline' && (w.answeredIn[id] ?? 0) < w.round) w.isStuck = true;
        if (w.journal[id] === undefined) {
          w.answeredIn[id] = w.round;
          w.journal[id] = w.isOnline ? 'done' : 'offline';
          if (w.isOnline) w.effects += 1;
        }
        answer(w, id);
      },
    })),
    ...world.voids.map((id, n) => ({
      name: `the bridge reads void ${id}`,
      take: (w: Rounds) => {
        w.voids = without(w.voids, n);
        w.journal[id] ??= 'voided';
        answer(w, id);
      },
    })),
    ...world.answers.map((each, n) => ({
      name: `the hub reads ${each.answer} of ${each.id}`,
      take: (w: Rounds) => {
        w.answers = without(w.answers, n);
        hear(w, each);
      },
    })),
  ];

  const chances = (world: Rounds): Step<Rounds>[] => {
    const { left: may, status, round } = world;
    const steps: Step<Rounds>[] = [];
    const chance = (name: string, isPossible: boolean, take: (w: Rounds) => void): void => {
      if (isPossible) steps.push({ name, take });
    };
    chance('the player comes or goes', may.turns > 0, (w) => {
      w.left.turns -= 1;
      w.isOnline = !w.isOnline;
    });
    chance('the time is over', !world.isLate, (w) => void Object.assign(w, { isLate: true }));
    // All frames are lost. The bridge answers what it has done, and the hub sends an open command again.
    chance('hub or line is lost', may.kills > 0, (w) => {
      w.left.kills -= 1;
      Object.assign(w, { commands: [], voids: [], answers: [] });
      for (const id of Object.keys(w.journal)) answer(w, Number(id));
      if (status === 'dispatched') (w.isVoidAsked || w.isLate ? w.voids : w.commands).push(wireId(round));
    });
    for (const each of world.answers) {
      chance(`${each.answer} of ${each.id} comes twice`, may.repeats > 0, (w) => {
        w.left.repeats -= 1;
        w.answers.push({ ...each });
      });
    }
    chance('it is taken back', may.voids > 0 && !OVER.has(status), (w) => {
      w.left.voids -= 1;
      if (w.status !== 'dispatched') w.status = 'voided';
      else {
        w.isVoidAsked = true;
        w.voids.push(wireId(round));
      }
    });
    return steps;
  };

  const first: Rounds = {
    status: 'waiting',
    round: 0,
    isVoidAsked: false,
    isOnline: false,
    isLate: false,
    effects: 0,
    isStuck: false,
    commands: [],
    voids: [],
    journal: {},
    answeredIn: {},
    answers: [],
    left,
  };
  return { first, chances, progress: (world: Rounds) => [...hubSteps(world), ...bridgeSteps(world)] };
};

const brokenIn = ({ effects, status, isStuck }: Rounds): string | undefined => {
  if (isStuck) return 'refused for ever';
  if (effects > 1) return 'the effect happened twice';
  if (status === 'succeeded' && effects === 0) return 'succeeded, and it did not happen';
  if (OVER.has(status) && status !== 'succeeded' && effects > 0) return `${status}, and it happened`;
  return undefined;
};

/** At rest, a command waits for its player, has ended, or has had its last round of this model. */
const brokenAtRest = ({ status, isOnline, isLate, round }: Rounds): string | undefined => {
  const isWaiting = status === 'waiting' && !isLate && (!isOnline || round === MAX_ROUNDS);
  return isWaiting || OVER.has(status) ? undefined : `at rest, and the command is ${status}`;
};

/** Visits every state that a waiting command can reach, until a promise is broken. */
export const exploreRounds = (config: RoundConfig): Exploration =>
  search<Rounds>({
    ...rounds(config),
    copyOf: structuredClone,
    keyOf: (world) => JSON.stringify(world),
    brokenIn,
    brokenAtRest,
  });
