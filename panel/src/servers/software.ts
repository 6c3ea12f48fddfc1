import type { Server } from '../api.ts';
import { isolated } from '../parts/text.tsx';

/** The software of a connected server, in one line; empty while it is not connected. */
export const softwareOf = ({ bridge, connected }: Server): string => {
  if (bridge === null || !connected) return '';
  const { name, version } = bridge.software;
  return [name, version]
    .filter((each) => each !== undefined)
    .map((each) => isolated(String(each)))
    .join(' ');
};
