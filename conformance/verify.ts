import { randomBytes } from 'node:crypto';
import type { Check } from './checks/check.ts';
import { chooseChecks } from './checks/choose.ts';
import { openHub } from './hub/hub.ts';
import { createBook } from './judges/book.ts';
import { createFindings } from './judges/findings.ts';
import type { Rule } from './judges/rules.ts';
import { createWatch, DEFAULT_WAITS, type Waits } from './line/watch.ts';
import { makeReport, type Report } from './report.ts';
import { createRunner, type Progress } from './runner.ts';
import { createDelays } from './stage/delays.ts';
import type { Launcher } from './stage/launcher.ts';
import type { Cast } from './stage/purse.ts';
import { createStage } from './stage/stage.ts';

export type VerifyOptions = {
  /** Port to listen on; 0 takes a free one. */
  port: number;
  /** Address to listen on, default 127.0.0.1. */
  host?: string;
  /** The token that the bridge has to send; without it any token is accepted. */
  token?: string;
  /** Players to use; default: the first two players online. A player is kicked only if named. */
  cast?: Partial<Cast>;
  /** The account to pay into and take from, default `bank`. */
  account?: string;
  /** Starts and kills the bridge; without a launcher the operator has to start it. */
  launcher?: Launcher;
  /** Includes checks that take minutes. */
  isSlow?: boolean;
  /** Tries and reports only these rules. */
  only?: readonly Rule[];
  /** Maximum number of commands that are sent at once (default 300). */
  burst?: number;
  waits?: Partial<Waits>;
  onListening?: (at: { url: string }) => void;
  /** Called when the checks begin, with the connected bridge and the players in use. */
  onProgress?: (progress: Progress) => void;
};

const BURST = 300;

/**
 * Acts as the hub for a bridge, checks the rules of the protocol, and reports which rules the bridge keeps. It ends in
 * bounded time with any bridge.
 * @throws Error when the port is taken, or when no bridge connects
 */
export const verify = async (options: VerifyOptions): Promise<Report> => {
  const {
    host = '127.0.0.1',
    port,
    token,
    account = 'bank',
    launcher,
    only,
    burst = BURST,
    onProgress = () => {},
  } = options;
  const waits: Waits = { ...DEFAULT_WAITS, ...options.waits };
  const nothing = { target: undefined, other: undefined, kick: undefined, item: undefined, custom: undefined };
  const cast: Cast = { ...nothing, ...options.cast };
  const findings = createFindings();
  const watch = createWatch();
  const book = createBook(findings);
  const delays = createDelays({ waits });
  const hub = await openHub({ host, port, token, account, waits, findings, watch, book });
  const url = `ws://${host.includes(':') ? `[${host}]` : host}:${hub.port}/bridge`;
  const secret = token ?? `cwb_${randomBytes(19).toString('hex')}`;
  const launch = (): void => {
    delays.restart(true);
    launcher?.start({ url, token: secret, onEnd: watch.notify });
  };
  let payProblem: string | undefined;
  const canPay = (): boolean =>
    payProblem === undefined && cast.target !== undefined && hub.hello()?.commands.includes('money@1') === true;
  const stage = createStage({
    hub,
    book,
    watch,
    waits,
    findings,
    launcher,
    launch,
    delays,
    cast,
    account,
    canPay,
    burst,
  });
  const runner = createRunner({
    stage,
    isSlow: options.isSlow === true,
    payProblem: () => payProblem,
    cannotPay: (why) => {
      payProblem = why;
    },
    onProgress,
  });

  try {
    options.onListening?.({ url });
    if (launcher !== undefined) launch();
    await runner.dialledIn();
    const { before, last } = chooseChecks(only);
    const all = async (checks: readonly Check[]): Promise<void> => {
      for (const check of checks) await runner.run(check);
    };
    await all(before);
    await runner.restore();
    await all(last);
    await stage.confirmed();
    await hub.judged();
    return makeReport({ findings, hello: hub.hello() ?? hub.earlierHello(), cast, only });
  } finally {
    await launcher?.kill('SIGKILL');
    await hub.close();
    watch.close();
  }
};
