import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** The heap in use after a full collection, in MiB. */
export const heapMiB = (): number => {
  collect();
  return process.memoryUsage().heapUsed / 1_048_576;
};

const heldNow = (): number => {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_048_576;
};

/**
 * The memory that the process holds now, with buffers, in MiB. It includes garbage up to `limit`: a busy machine collects
 * late, so beyond it the garbage is collected first.
 */
export const heldMiB = (limit: number): number => {
  const held = heldNow();
  if (held <= limit) return held;
  collect();
  // V8 frees buffers in another thread after a collection, and ends that before the next one.
  collect();
  return heldNow();
};
