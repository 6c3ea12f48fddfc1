import type { BridgeMessage, MessageOf } from '../../bridge-protocol/wire/messages.ts';
import { Breach } from './breach.ts';
import type { Findings } from './findings.ts';
import type { Rule } from './rules.ts';

type Snapshot = MessageOf<BridgeMessage, 'players.snapshot'>;
type Changed = MessageOf<BridgeMessage, 'players.changed'>;

/** Follows the frames about players of one connection: parts and revisions. */
export const createPlayersJudge = (findings: Findings) => {
  let revision: number | undefined;
  let nextPart = 0;
  let complete = 0;

  const expect = (rule: Rule, holds: boolean, expected: string, saw: unknown): void => {
    findings.kept(rule);
    if (!holds) findings.broken(rule, new Breach({ rule, expected, saw: JSON.stringify(saw) }));
  };

  const snapshot = ({ players, ...message }: Snapshot): void => {
    const { part, last } = message;
    expect('R20', part === nextPart, `part ${nextPart}`, message);
    if (nextPart > 0) expect('R20', message.revision === revision, `a part of revision ${revision}`, message);
    revision = message.revision;
    nextPart = last ? 0 : part + 1;
    if (last) complete += 1;
  };

  const changed = ({ players, ...message }: Changed): void => {
    expect('R20', nextPart === 0, 'no players.changed between the parts of a snapshot', message);
    if (revision !== undefined) expect('R21', message.revision === revision + 1, `revision ${revision + 1}`, message);
    revision = message.revision;
  };

  return {
    heard: (message: BridgeMessage): void => {
      if (message.type === 'players.snapshot') snapshot(message);
      if (message.type === 'players.changed') changed(message);
    },
    /** Snapshots that came to their last part. */
    complete: (): number => complete,
  };
};
export type PlayersJudge = ReturnType<typeof createPlayersJudge>;
