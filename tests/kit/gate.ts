/** A gate that callers wait before until it is opened. */
export const createGate = () => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let reached = 0;
  return {
    opened,
    open: () => open(),
    reached: () => reached,
    pass: (): Promise<void> => {
      reached += 1;
      return opened;
    },
  };
};
