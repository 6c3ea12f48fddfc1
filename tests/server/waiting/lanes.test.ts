import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLanes } from '../../../server/commands/lanes.ts';

/** A lane of one player whose command has left. */
const open = (isFound: boolean) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const lanes = createLanes();
  const line = lanes.open({ projectId: 'p', serverId: 'main' });
  lanes.fly(line, lanes.add(line, { target: 'char1:ana', deliver: 'when_online' }, true), 'cmd_1', { isFound });
  return (ms: number) => {
    vi.advanceTimersByTime(ms);
    return lanes.toLookUp(line);
  };
};

describe('a waiting command that has left', () => {
  it('is looked up after 45 s, and every 45 s', () => {
    const lookAfter = open(false);
    expect([44_000, 1_000, 44_000, 1_000].map(lookAfter)).toEqual([[], ['cmd_1'], [], ['cmd_1']]);
  });

  it('is looked up after a second if a query found it, because it may have ended during the query', () => {
    const lookAfter = open(true);
    expect([900, 100, 44_000, 1_000].map(lookAfter)).toEqual([[], ['cmd_1'], [], ['cmd_1']]);
  });
});
