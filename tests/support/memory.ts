import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** The heap in use after a full collection, in MiB. */
export const heapMiB = (): number => {
  collect();
  return process.memoryUsage().heapUsed / 1_048_576;
};

/** Everything the process holds now, garbage and buffers included, in MiB. */
export const heldMiB = (): number => {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_048_576;
};
