import type { Server } from '../api.ts';

/** A game thread that takes longer than this for a turn holds everything up. */
const STUCK_MS = 1_000;

export const isStuck = ({ bridge }: Server): boolean => (bridge?.tickMs ?? 0) > STUCK_MS;

/** It was added, and its game server has not been here yet. */
export const isNew = ({ connected, lastConnectedAt }: Server): boolean => !connected && lastConnectedAt === null;
