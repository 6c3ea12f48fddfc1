import type { BridgeMessage } from '../../bridge-protocol/wire/messages.ts';
import type { Findings } from '../judges/findings.ts';
import { type Hello, judgeHello } from '../judges/frames.ts';

/** What the process of the bridge has said about itself, and what the one before it had. */
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
    /** The next hello is that of another process. */
    next,
    /** Whether a supervisor may start another process now, which is no breach. */
    allowReplacement: (isAllowed: boolean): void => {
      mayBeReplaced = isAllowed;
    },
    /** The last hello of any process. */
    latestHello: (): Hello | undefined => latest,
    /** The first hello of the process at hand. */
    hello: (): Hello | undefined => first,
    /** The first hello of the process before. */
    earlierHello: (): Hello | undefined => earlier,
    /** Whether the game server says that it is about to stop. */
    isDraining: (): boolean => isDraining,
  };
};
