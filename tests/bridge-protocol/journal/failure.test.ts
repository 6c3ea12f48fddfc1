import { describe, expect, it } from 'vitest';
import { WriteQueue } from '../../../bridge-protocol/journal/writer.ts';

/** A file that fails when told to, and then may hold half of what was being written. */
const createFile = () => {
  const state = { text: '', fails: 0, replaces: 0 };
  const fail = (): void => {
    if (state.fails === 0) return;
    state.fails -= 1;
    throw new Error('no space left on device');
  };
  return {
    state,
    append: async (text: string): Promise<void> => {
      if (state.fails > 0) state.text += text.slice(0, 3);
      fail();
      state.text += text;
    },
    replace: async (lines: Iterable<string>): Promise<void> => {
      fail();
      state.replaces += 1;
      state.text = [...lines].join('');
    },
    close: async (): Promise<void> => {},
  };
};

const start = () => {
  const file = createFile();
  const kept: string[] = ['header\n'];
  const queue = new WriteQueue({
    file,
    lines: 1,
    contents: () => kept,
    outdated: () => 0,
    compactAfter: 100,
    onError: () => {},
  });
  const write = (line: string): Promise<void> => queue.writeDurably(line, () => kept.push(line));
  return { state: file.state, write, queue };
};

describe('a journal file that cannot be written', () => {
  it('refuses the line, and never leaves half of it in front of the next one', async () => {
    const { state, write } = start();
    await write('one\n');
    state.fails = 1;
    await expect(write('two\n')).rejects.toThrow('no space');
    expect(state.text).toBe('one\ntwo');
    await write('three\n');
    expect(state.text).toBe('header\none\nthree\n');
    expect(state.replaces).toBe(1);
  });

  it('refuses every line until it can be written anew', async () => {
    const { state, write } = start();
    state.fails = 3;
    for (const line of ['one\n', 'two\n', 'three\n']) await expect(write(line)).rejects.toThrow('no space');
    await write('four\n');
    expect(state.text).toBe('header\nfour\n');
  });

  it('refuses all lines that waited for the same write', async () => {
    const { state, write } = start();
    state.fails = 1;
    const results = await Promise.allSettled([write('one\n'), write('two\n')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
