import { join } from 'node:path';
import type { ResultFrame } from '../../tests/kit/fuzzed-results.ts';
import type { BenchHub } from './hub.ts';
import { openActor } from './processes.ts';

/** Commands for this player get no result until the fuzzer is told to send it. */
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

/** A bridge of `server` that sends true results, and all kinds of false ones beside them. */
export const openFuzzer = (hub: BenchHub, { server, seed }: { server: string; seed: number }) => {
  const args = [hub.url, hub.tokenOf(server), String(seed)];
  const actor = openActor<FuzzerOrder, FuzzerEvent>('fuzzer.ts', { args, logFile: join(hub.folder, 'fuzzer.log') });
  const told = <K extends FuzzerEvent['event']>(kind: K, withinMs?: number) =>
    actor.told((event): event is Extract<FuzzerEvent, { event: K }> => event.event === kind, kind, withinMs);
  return { order: actor.order, kill: actor.kill, forget: actor.forget, told };
};
