import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LuaFactory } from 'wasmoon';
import type { Host, Runtime } from './runtime.ts';
import { fromWire, nativeWire } from './wire.ts';

const PLATFORM = ['platform.lua', 'json.lua'].map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'));
const factory = new LuaFactory();

type Script = { name: string; code: string };
type Entry = {
  invoke: (reference: number, args: string) => string;
  event: (name: string, source: string, args: string) => void;
  tick: (now: number) => void;
  forget: (ids: string) => void;
  load: (name: string, code: string) => void;
  memory: () => number;
};

const split = (text: string): [string, string] => {
  const at = text.indexOf('\n');
  return [text.slice(0, at), text.slice(at + 1)];
};

const noFunctions = (): string => {
  throw new Error('Natives take no functions here.');
};

/** Runs the Lua scripts of a resource, in their order, in a state of their own. */
export const startLua = async (
  { resource, id, scripts }: { resource: string; id: number; scripts: readonly Script[] },
  host: Host,
): Promise<Runtime & { load(): void }> => {
  const holders = new Map<string, number>();
  const unheld = new Set<string>();
  const engine = await factory.createEngine({ injectObjects: false, enableProxy: false });
  const calls: Record<string, (text: string) => string | number | boolean | undefined> = {
    clock: () => Math.round(host.clock()),
    invoke: (text) => host.invoke(...split(text)),
    event: (text) => {
      host.event(...split(text));
      return undefined;
    },
    native: (text) => {
      const [name, args] = split(text);
      return nativeWire([host.native(name, fromWire(args, noFunctions)) ?? null]);
    },
    hears: (name) => {
      host.hears(name);
      return undefined;
    },
    hold: (reference) => {
      host.hold(reference);
      return undefined;
    },
    release: (reference) => {
      host.release(reference);
      return undefined;
    },
    isNative: (name) => host.natives.includes(name),
    print: (text) => {
      host.print(String(fromWire(`[${text}]`, noFunctions)[0]));
      return undefined;
    },
    error: (text) => {
      host.error(text);
      return undefined;
    },
  };
  engine.global.set('__host', (operation: string, text: string) => calls[operation]?.(text));
  engine.global.set('__resource', resource);
  engine.global.set('__runtime', id);
  for (const part of PLATFORM) engine.doStringSync(part);
  const entry = Object.fromEntries(
    ['invoke', 'event', 'tick', 'forget', 'load', 'memory'].map((name) => [name, engine.global.get(`__${name}`)]),
  ) as Entry;

  return {
    resource,
    id,
    event: (name: string, source: string, args: string) => entry.event(name, source, args),
    invoke: (reference: string, args: string) => entry.invoke(Number(reference), args),
    hold: (reference) => {
      holders.set(reference, (holders.get(reference) ?? 0) + 1);
      unheld.delete(reference);
    },
    release: (reference) => {
      const left = (holders.get(reference) ?? 0) - 1;
      if (left > 0) holders.set(reference, left);
      else if (holders.delete(reference)) unheld.add(reference);
    },
    tick: (now: number) => {
      // Not in the turn that frees them, which may be a collection of garbage inside of this very state.
      if (unheld.size > 0) entry.forget([...unheld].join(' '));
      unheld.clear();
      entry.tick(now);
    },
    memory: () => entry.memory(),
    close: () => engine.global.close(),
    load: (): void => {
      for (const { name, code } of scripts) entry.load(name, code);
    },
  };
};
