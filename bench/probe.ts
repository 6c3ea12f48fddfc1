import { subscribe } from 'node:diagnostics_channel';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { answerQuestions } from './children.ts';
import { percentile } from './statistics.ts';

/** Loaded into every server under test with `--import`, so that all are measured in the same way. */
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
let cpu = process.cpuUsage();
let since = performance.now();

export type Vitals = {
  /** Share of one core since the last call, 0 to 1. */
  cpu: number;
  cpuMs: number;
  rssBytes: number;
  heapBytes: number;
  /** How long the event loop delayed its timer, ms. */
  loopP99Ms: number;
  loopMaxMs: number;
  /** From the read request to the written answer, since the last call; 0 before `watchAnswers`. */
  answerP50Ms: number;
  answerP99Ms: number;
};

let answers: number[] = [];

// The fields of both diagnostics channels of Node.js.
const requestOf = (message: unknown): object => (message as { request: object }).request;

answerQuestions({
  watchAnswers: (): void => {
    const begun = new WeakMap<object, number>();
    subscribe('http.server.request.start', (message) => begun.set(requestOf(message), performance.now()));
    subscribe('http.server.response.finish', (message) => {
      const at = begun.get(requestOf(message));
      if (at !== undefined) answers.push(performance.now() - at);
    });
  },
  vitals: ({ collect = false }: { collect?: boolean }): Vitals => {
    if (collect) globalThis.gc?.();
    const used = process.cpuUsage(cpu);
    const now = performance.now();
    const { rss, heapUsed } = process.memoryUsage();
    const vitals = {
      cpu: (used.user + used.system) / 1_000 / (now - since),
      cpuMs: (used.user + used.system) / 1_000,
      rssBytes: rss,
      heapBytes: heapUsed,
      loopP99Ms: Math.max(0, delay.percentile(99) / 1e6 - 5),
      loopMaxMs: Math.max(0, delay.max / 1e6 - 5),
      answerP50Ms: percentile(answers, 0.5),
      answerP99Ms: percentile(answers, 0.99),
    };
    answers = [];
    delay.reset();
    cpu = process.cpuUsage();
    since = now;
    return vitals;
  },
});
