import type { Hub } from '../hub/hub.ts';
import type { Book } from '../judges/book.ts';
import { Breach, type Findings } from '../judges/findings.ts';
import type { Line } from '../line/line.ts';
import type { Waits, Watch } from '../line/watch.ts';

/** How many times longer than for a result verify waits for the pong of a bridge that still reads a burst. */
const PATIENCE = 6;

/**
 * Judges whether the bridge confirms each command (R29). On a slow machine, commands that were sent at once may lie
 * unread for longer than the rule permits, and verify must not count that time. So a bridge is late only when a pong
 * shows that it has read the command, when `answerMs` have passed since, and when it then answers another ping first;
 * or when it sends nothing at all until its connection ends.
 */
export const createConfirmations = ({
  hub,
  book,
  watch,
  waits,
  findings,
}: {
  hub: Hub;
  book: Book;
  watch: Watch;
  waits: Waits;
  findings: Findings;
}) => {
  const open = new Set<Promise<void>>();
  const pongs = new Map<Line, Promise<boolean>>();

  const askForPong = async (on: Line): Promise<boolean> => {
    // Commands of one burst are late together: they share a ping.
    await new Promise((resolve) => setImmediate(resolve));
    pongs.delete(on);
    let next = on.frames.length;
    const n = hub.ping(on);
    const look = (): boolean | undefined => {
      for (; next < on.frames.length; next += 1) {
        const message = on.frames[next]?.message;
        if (message?.type === 'pong' && message.n === n) return true;
      }
      return on.isOpen() ? undefined : false;
    };
    return (await watch.happens(look, PATIENCE * waits.settleMs)) === true;
  };

  /** Whether the bridge answers a ping that is sent from now on; its pong follows the reading of all earlier frames. */
  const hasPonged = (on: Line): Promise<boolean> => {
    const pong = pongs.get(on) ?? askForPong(on);
    pongs.set(on, pong);
    return pong;
  };

  const judge = async (on: Line, id: string): Promise<void> => {
    const [before, since] = [book.get(id)?.answers ?? 0, on.frames.length];
    const isAnswered = () => (book.get(id)?.answers ?? 0) > before;
    const isOver = () => (isAnswered() || !on.isOpen() ? true : undefined);
    findings.kept('R29');
    if (await watch.happens(isOver, waits.answerMs)) return;
    if (await hasPonged(on)) {
      if (await watch.happens(isOver, waits.answerMs)) return;
      await hasPonged(on);
    }
    const isDead = on.frames.length === since;
    if (isAnswered() || (!on.isOpen() && !isDead)) return;
    const expected = `received or result within ${waits.answerMs} ms after a command was read`;
    findings.broken('R29', new Breach({ rule: 'R29', expected, saw: `nothing about ${id}` }));
  };

  return {
    /** Watches a command that is sent now. */
    follow: (on: Line, id: string): void => {
      const judged = judge(on, id);
      open.add(judged);
      void judged.finally(() => open.delete(judged));
    },
    /** Resolves when each sent command has been confirmed or judged. */
    judged: async (): Promise<void> => {
      await Promise.all(open);
    },
  };
};
export type Confirmations = ReturnType<typeof createConfirmations>;
