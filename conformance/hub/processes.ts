import type { BridgeMessage } from '../../bridge-protocol/wire/messages.ts';
import type { Findings } from '../judges/findings.ts';
import { type Hello, judgeHello } from '../judges/frames.ts';

/** Compares the statements of the bridge's process about itself with those of the process before. */
export const createProcesses = ({ findings, onOtherJournal }: { findings: Findings; onOtherJournal: () => void }) => {
  let first: Hello | undefined;
  let earlier: Hello | undefined;
  let latest: Hello | undefined;
  let isDraining = false;
  let mayBeReplaced = false;

  const next = (): void => {
    earlier = first ?? earlier;
    first = undefined;
    isDraining = false;
  };

  return {
    introduced: (hello: Hello): void => {
      latest = hello;
      if (mayBeReplaced && first !== undefined && first.instance !== hello.instance) next();
      judgeHello(hello, { first, earlier }, findings);
      if (first === undefined && earlier !== undefined && earlier.journal.id !== hello.journal.id) onOtherJournal();
      first ??= hello;
    },
    heard: (message: BridgeMessage): void => {
      if (message.type === 'status') isDraining = message.draining ?? isDraining;
    },
    /** Expects the next hello from another process. */
    next,
    /** Whether a supervisor may start another process now without a breach. */
    allowReplacement: (isAllowed: boolean): void => {
      mayBeReplaced = isAllowed;
    },
    /** The last hello of any process. */
    latestHello: (): Hello | undefined => latest,
    /** The first hello of the current process. */
    hello: (): Hello | undefined => first,
    /** The first hello of the previous process. */
    earlierHello: (): Hello | undefined => earlier,
    /** Whether the game server has announced that it will stop. */
    isDraining: (): boolean => isDraining,
  };
};
