import { readFileSync } from 'node:fs';

/** Before a program: its system calls that write go into a file. A kill reaches the program itself. */
export const tracedInto = (file: string): string[] => {
  const calls = 'trace=write,writev,fsync,fdatasync,sendto,sendmsg';
  return ['strace', '-D', '-f', '--seccomp-bpf', '-yy', '-s', '4096', '-e', calls, '-o', file];
};

type Call = { thread: string; name: string; on: string; text: string };

const callsOf = (file: string): Call[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, thread = '', name = '', on = '', text = ''] =
        /^(\d+) +(\w+)\(\d+<(.*?)>(?:\(\w+\))?(.*)$/.exec(line) ?? [];
      return name === '' ? [] : [{ thread, name, on, text }];
    });

const isSync = ({ name }: Call): boolean => name === 'fsync' || name === 'fdatasync';

/** The files and folders that a traced program has synced. */
export const syncedIn = (file: string): string[] => [
  ...new Set(
    callsOf(file)
      .filter(isSync)
      .map(({ on }) => on),
  ),
];

/** For each outcome in a journal, what the same thread did next to the journal or to a TCP connection. */
export const nextAfterOutcomes = (file: string, journal: string): string[] => {
  const calls = callsOf(file);
  return calls.flatMap((call, at) => {
    if (call.on !== journal || !/\\"status\\":\\"(?:started|done|rejected)/.test(call.text)) return [];
    const next = calls
      .slice(at + 1)
      .find(({ thread, on }) => thread === call.thread && (on === journal || /^TCP/.test(on)));
    return [next === undefined ? 'nothing' : isSync(next) ? 'sync' : `${next.name} to ${next.on}`];
  });
};
