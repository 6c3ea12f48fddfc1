import { join } from 'node:path';
import type { ResultFrame } from '../../tests/support/fuzzed-results.ts';
import type { BenchHub } from './hub.ts';
import { openActor } from './processes.ts';

/** Commands for this player are taken and not answered until the fuzzer is told so. */
export const STUCK = 'char1:stuck';

export type FuzzerOrder =
  | { order: 'ids'; ids: Record<string, readonly string[]> }
  | { order: 'fuzz'; frames: number }
  | { order: 'unstick' }
  | { order: 'truths' };
type Count = { fuzzed: number; sent: number; acknowledged: number };
export type FuzzerEvent =
  | { event: 'welcome' }
  | { event: 'stuck'; id: string }
  | ({ event: 'fuzzed' } & Count)
  | ({ event: 'acknowledged' } & Count)
  | { event: 'truths'; truths: ResultFrame[] }
  | { event: 'closed'; code: number };

/** A bridge of `server` that answers its commands with the truth, and says everything else there is beside it. */
export const openFuzzer = (hub: BenchHub, { server, seed }: { server: string; seed: number }) => {
  const args = [hub.url, hub.tokenOf(server), String(seed)];
  const actor = openActor<FuzzerOrder, FuzzerEvent>('fuzzer.ts', { args, logFile: join(hub.folder, 'fuzzer.log') });
  const told = <K extends FuzzerEvent['event']>(kind: K, withinMs?: number) =>
    actor.told((event): event is Extract<FuzzerEvent, { event: K }> => event.event === kind, kind, withinMs);
  return { order: actor.order, kill: actor.kill, forget: actor.forget, told };
};
