import type { BridgeMessage, MessageOf } from '../../bridge-protocol/wire/messages.ts';
import type { Hub } from '../hub/hub.ts';
import { Breach, NotTried } from '../judges/findings.ts';
import type { Rule } from '../judges/rules.ts';
import type { Line } from '../line/line.ts';
import type { Waits, Watch } from '../line/watch.ts';
import type { Launcher } from './launcher.ts';

/** The awaited event. With `on`, the end of that connection ends the wait. */
export type Expectation = { expected: string; rule?: Rule; withinMs?: number; on?: Line; since?: number };

/** The frames of a connection since a moment, as text. */
const sawOn = (line: Line, since: number): string => {
  const came = line.frames.slice(since);
  const last = came.at(-1)?.text;
  const ending = line.ending();
  const end = ending === undefined ? '' : `the connection end with ${ending.code} ${ending.reason}`.trim();
  if (last === undefined) return end === '' ? 'nothing' : end;
  const frames = `${came.length} other ${came.length === 1 ? 'frame' : 'frames'}, the last: ${last}`;
  return end === '' ? frames : `${end} after ${frames}`;
};

/** Bounded waits for the bridge, each with a text for its timeout. */
export const createWaiting = ({
  hub,
  watch,
  waits,
  launcher,
  line,
  limited,
}: {
  hub: Pick<Hub, 'ping'>;
  watch: Watch;
  waits: Waits;
  launcher: Launcher | undefined;
  line: () => Line;
  /** The permitted duration of a wait that would take this many milliseconds without the check's bound. */
  limited: (ms: number) => number;
}) => {
  const happens = <T>(look: () => T | undefined, ms: number): Promise<T | undefined> =>
    watch.happens(look, limited(ms));

  const until = async <T>(look: () => T | undefined, expectation: Expectation): Promise<T> => {
    const { expected, rule, on, since = on?.frames.length ?? 0, withinMs = waits.answerMs } = expectation;
    const isCutShort = limited(withinMs) < withinMs;
    const found = await happens(() => {
      const value = look();
      if (value !== undefined) return { value };
      const isOver = on === undefined ? launcher?.ended() !== undefined : on.ending() !== undefined;
      return isOver ? 'over' : undefined;
    }, withinMs);
    if (found !== undefined && found !== 'over') return found.value;
    // The bridge did everything before this, only slowly.
    if (found === undefined && isCutShort) throw new NotTried('the check took too long on this machine');
    const saw = on === undefined ? (launcher?.ended() ?? 'nothing') : sawOn(on, since);
    throw new Breach({ rule, expected: `${expected} within ${withinMs} ms`, saw });
  };

  /** The first matching message of a type since that moment. */
  const hears = <T extends BridgeMessage['type']>(
    on: Line,
    type: T,
    fits: (message: MessageOf<BridgeMessage, T>) => boolean,
    expectation: Expectation,
  ): Promise<MessageOf<BridgeMessage, T>> => {
    let next = expectation.since ?? on.frames.length;
    const isIt = (message: BridgeMessage | undefined): message is MessageOf<BridgeMessage, T> =>
      message?.type === type && fits(message as MessageOf<BridgeMessage, T>);
    const look = (): MessageOf<BridgeMessage, T> | undefined => {
      for (; next < on.frames.length; next += 1) {
        const message = on.frames[next]?.message;
        if (isIt(message)) return message;
      }
      return undefined;
    };
    return until(look, { ...expectation, on });
  };

  /** Sends a frame and waits for its answer. */
  const ask = <T extends BridgeMessage['type']>(
    frame: object,
    type: T,
    fits: (message: MessageOf<BridgeMessage, T>) => boolean,
    expectation: Expectation,
  ): Promise<MessageOf<BridgeMessage, T>> => {
    const on = expectation.on ?? line();
    const since = on.frames.length;
    on.send(frame);
    return hears(on, type, fits, { since, ...expectation });
  };

  /** Sends a ping; its pong shows that the bridge has read all earlier frames of this connection. */
  const barrier = async (on: Line = line(), rule?: Rule): Promise<void> => {
    const since = on.frames.length;
    const n = hub.ping(on);
    const ruled = rule === undefined ? {} : { rule };
    try {
      await hears(on, 'pong', (pong) => pong.n === n, { expected: `a pong with n ${n}`, since, ...ruled });
    } catch (error) {
      // On an open connection, a missing pong is not a fault of the earlier frames.
      const isMissing = error instanceof Breach && error.rule === undefined && on.ending() === undefined;
      throw isMissing ? new Breach({ rule: 'R16', saw: error.message }) : error;
    }
  };

  return { happens, until, hears, ask, barrier };
};
