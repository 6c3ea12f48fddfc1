/**
 * The stored values of resources. They survive the process; flushed values survive a crash.
 * `durable` has the existing values; `append` stores each write, or fails.
 */
export const createKvp = ({
  durable = new Map<string, string>(),
  append = () => true,
}: {
  durable?: Map<string, string>;
  append?: (key: string, value: string | undefined) => boolean;
} = {}) => {
  const buffered = new Map<string, string | undefined>();
  let flushes = 0;
  let isFull = false;

  const read = (key: string): string | undefined => (buffered.has(key) ? buffered.get(key) : durable.get(key));
  const flush = (): void => {
    flushes += 1;
    for (const [key, value] of buffered) {
      if (value === undefined) durable.delete(key);
      else durable.set(key, value);
    }
    buffered.clear();
  };

  return {
    read,
    write: (key: string, value: string | undefined): void => {
      // Values are C strings.
      const text = value?.split('\0', 1)[0];
      if (!isFull && append(key, text)) buffered.set(key, text);
    },
    flush,
    flushes: (): number => flushes,
    keys: (prefix: string): string[] =>
      [...new Set([...durable.keys(), ...buffered.keys()])]
        .filter((key) => key.startsWith(prefix) && read(key) !== undefined)
        .sort(),
    /** The process died: unflushed values are lost. */
    crash: (): void => buffered.clear(),
    /** From now on, writes are lost without an error, as on a full disk. */
    fill: (full: boolean): void => {
      isFull = full;
    },
  };
};
export type Kvp = ReturnType<typeof createKvp>;
