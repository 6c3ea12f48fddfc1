import { setTimeout as pause } from 'node:timers/promises';
import { createPacker, playerItem, snapshotFrame } from '../../bridge-protocol/client/players.ts';
import { LIMITS } from '../../bridge-protocol/index.ts';
import { answerQuestions } from '../children.ts';
import { heavyPlayer } from '../population.ts';
import { connectCauseway } from './bridges.ts';
import { drive, inTurn, type Load, requestBytes } from './callers.ts';
import type { RawClient } from './raw-websocket.ts';

export type ReadPlan = {
  port: number;
  headers: Record<string, string>;
  /** The requested paths, used in turn. */
  paths: readonly string[];
  callers: number;
  forMs: number;
};
export type SyncPlan = { port: number; token: string; players: number };
/** Revisions count from 1; each one sends all players. */
export type SnapshotPlan = { revision: number };

/** A bridge waits while it has more unsent bytes than this, as the reference client does. */
const UNSENT_BYTES = 1_048_576;

let frames: ((revision: number) => string)[] = [];
let client: RawClient | undefined;

/** All players in parts of 64 KiB, made before the measurement. */
const prepare = (players: number): void => {
  const packer = createPacker({ frameBytes: LIMITS.frameBytes });
  frames = [];
  const close = (last: boolean): void => {
    const [part, taken] = [frames.length, packer.take()];
    frames.push((revision) => snapshotFrame({ revision, part, last }, taken));
  };
  for (let index = 0; index < players; index += 1) {
    const item = playerItem(heavyPlayer(index), LIMITS.frameBytes);
    if ('problem' in item) throw new Error(item.problem);
    if (!packer.fits(item)) close(false);
    packer.add(item);
  }
  close(true);
};

/** Sends all players, at most a mebibyte ahead of the hub's reads; resolves when the last part is sent. */
const snapshot = async ({ revision }: SnapshotPlan): Promise<void> => {
  if (client === undefined) throw new Error('the bridge is not connected');
  for (const frame of frames) {
    while (client.unsent() > UNSENT_BYTES) await pause(1);
    client.say(frame(revision));
    await pause(0);
  }
};

/** The process that reads over REST, and the bridge that reports many players. */
answerQuestions({
  read: ({ paths, headers, ...plan }: ReadPlan): Promise<Load> =>
    drive({ ...plan, requestOf: inTurn(paths.map((path) => requestBytes(path, headers))) }),
  join: async ({ port, token, players }: SyncPlan): Promise<void> => {
    prepare(players);
    client = await connectCauseway({ port, token });
  },
  snapshot,
});
