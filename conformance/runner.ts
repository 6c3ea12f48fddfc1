import { commandTag, isCommandName } from '../bridge-protocol/wire/commands.ts';
import type { Check, Need } from './checks/check.ts';
import { GREETING, PAYING } from './checks/choose.ts';
import { Breach, NotTried, undeclared } from './judges/findings.ts';
import type { Rule } from './judges/rules.ts';
import type { Stage } from './stage/stage.ts';

/** Progress events for the reporter. `cast` is sent once, when the players are known. */
export type Progress =
  | { event: 'check'; name: string; rules: readonly Rule[]; outcome: 'pass' | 'fail' | 'not tried'; text: string }
  | { event: 'note'; text: string };

const CHECK_WITHIN_MS = 60_000;
/** How often the bridge may end its connection by itself. */
const LOSSES = 5;

type RunnerOptions = {
  stage: Stage;
  isSlow: boolean;
  payProblem: () => string | undefined;
  cannotPay: (why: string) => void;
  onProgress: (progress: Progress) => void;
};

/** The reason why a check's requirements are not met; undefined if they are met. */
const problemOf = (need: Need, { stage, isSlow, payProblem }: RunnerOptions): string | undefined => {
  const { hub, launcher, cast } = stage;
  if (isCommandName(need) && hub.hello()?.commands.includes(commandTag(need)) === false) {
    return undeclared(commandTag(need));
  }
  switch (need) {
    case 'money':
      return cast.target === undefined ? `no player with a ${stage.account} is online: give --target` : payProblem();
    case 'other':
      return cast.other === undefined ? 'a second player is needed: give --other' : undefined;
    case 'kick':
      return cast.kick === undefined ? 'it kicks a player: give --kick' : undefined;
    case 'custom': {
      const name = cast.custom?.name;
      if (name === undefined) return 'it runs a custom command: give --custom';
      return hub.custom().some((one) => one.name === name) ? undefined : `the bridge does not announce ${name}`;
    }
    case 'run':
      return launcher === undefined ? 'needs --run' : undefined;
    case 'slow':
      return isSlow ? undefined : 'needs --slow';
    default:
      return cast.target === undefined ? 'no player is online: give --target' : undefined;
  }
};

/** The first two online players, unless players were named. */
const choosePlayers = ({ stage: { hub, cast }, onProgress }: RunnerOptions): void => {
  const players = hub.hello()?.commands.includes('money@1') ? hub.roster.payable() : hub.roster.online();
  const online = players.filter((identifier) => identifier !== cast.kick);
  if (cast.target === undefined) {
    cast.target = online.find((identifier) => identifier !== cast.other);
    if (cast.target !== undefined) onProgress({ event: 'note', text: `commands act on ${cast.target}` });
  }
  if (cast.target !== undefined) hub.roster.follow(cast.target);
  cast.other ??= online.find((identifier) => identifier !== cast.target);
};

/** Runs the checks one after the other, keeps the bridge connected in between, and records each result. */
export const createRunner = (options: RunnerOptions) => {
  const { stage, cannotPay, onProgress } = options;
  const { hub, waits, watch, findings, launcher, delays } = stage;
  let losses = 0;
  let gone: string | undefined;

  const isConnected = (): true | undefined => (hub.session()?.isOpen() ? true : undefined);

  /** Waits for a connection while a process that may connect exists. */
  const connects = async (ms: number): Promise<boolean> => {
    const look = () => (launcher?.ended() === undefined ? isConnected() : (isConnected() ?? false));
    return (await watch.happens(look, ms)) === true;
  };

  const reconnected = async (): Promise<boolean> => {
    if (await connects(waits.comeBackMs)) return true;
    if (launcher === undefined) return false;
    await stage.restart();
    return connects(waits.dialInMs);
  };

  const stayConnected = async (): Promise<void> => {
    if (isConnected()) return;
    losses += 1;
    delays.restart(false);
    if (losses > LOSSES) gone = 'the bridge left again and again';
    else if (!(await reconnected())) gone = 'the bridge did not come back';
    if (gone !== undefined) throw new NotTried(gone);
  };

  const attempt = async (check: Check): Promise<void> => {
    if (gone !== undefined) throw new NotTried(gone);
    if (hub.hello() !== undefined) choosePlayers(options);
    if (check !== GREETING && !(check.isAnew && launcher !== undefined)) await stayConnected();
    const problem = check.needs?.map((need) => problemOf(need, options)).find((found) => found !== undefined);
    if (problem !== undefined) throw new NotTried(problem);
    stage.limit(check.withinMs ?? CHECK_WITHIN_MS);
    await check.run(stage);
  };

  const skip = (check: Check, why: string): void => {
    for (const rule of check.rules) findings.skipped(rule, { check: check.name, why });
  };

  /** The failure of the check; undefined when it passed. */
  const problemWith = async (check: Check): Promise<Breach | NotTried | undefined> => {
    try {
      await attempt(check);
      for (const rule of check.rules) findings.kept(rule);
      return undefined;
    } catch (error) {
      if (error instanceof Breach) {
        const broken = error.rule ?? check.rules[0];
        findings.broken(broken, error);
        for (const rule of check.rules) {
          if (rule !== broken) findings.skipped(rule, { check: check.name, why: `a check broke off at ${broken}` });
        }
        if (check === GREETING && hub.session() === undefined) gone = 'the bridge never came as far as its welcome';
        return error;
      }
      const why = error instanceof NotTried ? error.message : `verify failed: ${String(error)}`;
      skip(check, why);
      return new NotTried(why);
    }
  };

  const run = async (check: Check): Promise<void> => {
    const count = (): number => check.rules.reduce((sum, rule) => sum + findings.breaches(rule).length, 0);
    const before = count();
    const problem = await problemWith(check);
    const isBroken = problem instanceof Breach || count() > before;
    const outcome = isBroken ? 'fail' : problem === undefined ? 'pass' : 'not tried';
    const text = problem?.message ?? check.rules.flatMap((rule) => findings.breaches(rule))[0]?.message ?? '';
    onProgress({ event: 'check', name: check.name, rules: check.rules, outcome, text });
    if (check === PAYING && problem !== undefined) cannotPay(`plain money did not work: ${problem.message}`);
    if (isConnected()) stage.acknowledge();
  };

  return {
    run,
    /** @throws Error when no bridge connects */
    dialledIn: async (): Promise<void> => {
      const look = () => (hub.dials().count > 0 || launcher?.ended() !== undefined ? true : undefined);
      await watch.happens(look, waits.dialInMs);
      if (hub.dials().count > 0) return;
      const ended = launcher?.ended();
      const tail = launcher?.tail() ?? '';
      const words = tail === '' ? '' : `; its last words: ${tail}`;
      throw new Error(
        `no bridge dialled in${ended === undefined ? ` within ${waits.dialInMs} ms` : `: ${ended}`}${words}`,
      );
    },
    /** Reverses the payments of all checks, and takes back what they gave. */
    restore: async (): Promise<void> => {
      stage.limit(CHECK_WITHIN_MS);
      for (const [target, moved] of stage.book.moved()) {
        if (moved === 0 || !isConnected()) continue;
        try {
          const { status } = await stage.carryOut(stage.money(target, -moved));
          if (status === 'done') continue;
        } catch (error) {
          if (!(error instanceof Breach)) throw error;
        }
        onProgress({ event: 'note', text: `the ${stage.account} of ${target} could not be brought back by ${-moved}` });
      }
      if (isConnected()) for (const text of await stage.shelf.restore()) onProgress({ event: 'note', text });
      if (isConnected()) stage.acknowledge();
    },
  };
};
