const IDS_PER_FRAME = 1024;

/**
 * Collects the ids of commands that were taken over and reports them in one frame, at most `withinMs` late. A
 * `result` says the same, so an id that is answered meanwhile is taken out.
 */
export const createReceived = ({ withinMs, send }: { withinMs: number; send: (ids: string[]) => void }) => {
  const ids = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const clear = (): void => {
    ids.clear();
    clearTimeout(timer);
    timer = undefined;
  };

  const flush = (): void => {
    const collected = [...ids];
    clear();
    if (collected.length > 0) send(collected);
  };

  return {
    add: (id: string): void => {
      ids.add(id);
      if (ids.size >= IDS_PER_FRAME) flush();
      else timer ??= setTimeout(flush, withinMs);
    },
    remove: (id: string): void => {
      ids.delete(id);
    },
    /** Forgets what was collected for a connection that is gone. */
    clear,
  };
};
export type Received = ReturnType<typeof createReceived>;
