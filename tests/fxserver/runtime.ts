import type { Wire } from './wire.ts';

/** The answer to a call of a function whose runtime has ended. */
export const GONE = 'gone';

/** One script runtime of a resource. */
export type Runtime = {
  readonly resource: string;
  readonly id: number;
  event(name: string, source: string, args: Wire): void;
  /** Calls a function that was handed out; empty when it threw. */
  invoke(reference: string, args: Wire): Wire;
  /** Another runtime has got a function of this one, and has no use for it any more. */
  hold(reference: string): void;
  release(reference: string): void;
  tick(now: number): void;
  /** Kilobytes in use, where that can be told, after all garbage is collected. */
  memory?(): number;
  close(): void;
};

/** Functions of the server for a runtime. */
export type Host = {
  /** As the runtime that owns the function; {@link GONE} when that has ended. */
  invoke(reference: string, args: Wire): Wire;
  /** An event reaches only the resources that have registered it. */
  hears(name: string): void;
  event(name: string, args: Wire): void;
  hold(reference: string): void;
  release(reference: string): void;
  readonly natives: readonly string[];
  native(name: string, args: readonly unknown[]): unknown;
  print(line: string): void;
  /** An uncaught error, as the console of the server shows it. */
  error(line: string): void;
  now(): number;
  /** Microseconds, for code that measures itself. */
  clock(): number;
};
