import { setPriority } from 'node:os';
import { answerQuestions } from '../children.ts';
import { BRIDGES, type BridgeKind, type BridgePlan } from './bridges.ts';
import { drive, inTurn, type Load, requestBytes } from './callers.ts';
import { createHerd, type Dialling, type Gathered, type GatherPlan } from './herd.ts';
import { type Paced, type PacePlan, startPace } from './pacer.ts';

/** Commands go to this many players in turn, so that no command waits for another. */
const TARGETS = 4_096;

export type DrivePlan = {
  port: number;
  /** `POST <prefix>/<server>/<command>` */
  prefix: string;
  servers: readonly string[];
  command: 'kick' | 'money';
  headers: Record<string, string>;
  callers: number;
  forMs: number;
};

/** Kicks at a steady pace: `path` is `<prefix>/<server>/kick`. */
export type KickPace = Omit<PacePlan, 'bodyOf'>;

/** The callers' process's use of its core; near 1, the measurement shows this process and not the server. */
export type Drive = Load & { cpu: number };

const bodyOf = (command: string, target: string): string =>
  JSON.stringify(
    command === 'kick'
      ? { target, reason: 'Be nice.' }
      : { target, type: 'bank', amount: 500, action: 'add', reason: 'Salary' },
  );

const requestsOf = ({ prefix, servers, command, headers }: DrivePlan): Buffer[] =>
  Array.from({ length: TARGETS }, (_, n) =>
    requestBytes(`${prefix}/${servers[n % servers.length]}/${command}`, headers, bodyOf(command, `char1:p${n}`)),
  );

const herd = createHerd();
const endPaces: (() => Promise<Paced>)[] = [];

/** The process on the other core: bridges that answer, callers, and herds of idle bridges. */
answerQuestions({
  /**
   * Lowers the priority of this process below the others on its core, above all the callers, whose times are measured.
   */
  giveWay: (): void => setPriority(5),
  gather: (plan: GatherPlan): Promise<Gathered> => herd.gather(plan),
  comeBack: (dialling: Dialling): Promise<Gathered> => herd.comeBack(dialling),
  held: (): number => herd.held(),
  pace: async (plan: KickPace): Promise<void> => {
    endPaces.push(await startPace({ ...plan, bodyOf: (n) => bodyOf('kick', `char1:p${n % TARGETS}`) }));
  },
  /** Ends all paced requests, in the order in which they began. */
  paced: (): Promise<Paced[]> => Promise.all(endPaces.splice(0).map((end) => end())),
  connect: async ({ kind, ...plan }: BridgePlan & { kind: BridgeKind }): Promise<void> => {
    await BRIDGES[kind](plan);
  },
  drive: async (plan: DrivePlan): Promise<Drive> => {
    const requestOf = inTurn(requestsOf(plan));
    const before = process.cpuUsage();
    const start = performance.now();
    const load = await drive({ port: plan.port, requestOf, callers: plan.callers, forMs: plan.forMs });
    const { user, system } = process.cpuUsage(before);
    return { ...load, cpu: (user + system) / 1_000 / (performance.now() - start) };
  },
});
