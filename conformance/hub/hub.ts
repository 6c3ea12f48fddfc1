import type { IncomingMessage } from 'node:http';
import { LIMITS } from '../../bridge-protocol/wire/limits.ts';
import type { Book } from '../judges/book.ts';
import { createCatalogues } from '../judges/catalogues.ts';
import { createCustomJudge } from '../judges/custom.ts';
import { Breach, type Findings } from '../judges/findings.ts';
import { judgeFrame } from '../judges/frames.ts';
import { createLinesJudge } from '../judges/lines.ts';
import { createPlayersJudge, createRoster, type PlayersJudge } from '../judges/players.ts';
import type { Rule } from '../judges/rules.ts';
import { openDoor } from '../line/door.ts';
import { createLine, type Frame, type Line, type Socket } from '../line/line.ts';
import type { Waits, Watch } from '../line/watch.ts';
import { createDials } from './dials.ts';
import { createProcesses } from './processes.ts';

/** This hub's clock is ahead, so that a bridge that uses another clock starts expired commands. */
const CLOCK_AHEAD_MS = 7 * 60 * 60 * 1000;
const LINES_KEPT = 50;

export type HubOptions = {
  host: string;
  port: number;
  /** The expected token; without it any token is accepted. */
  token: string | undefined;
  /** The account that verify pays into and takes from. */
  account: string;
  waits: Waits;
  findings: Findings;
  watch: Watch;
  book: Book;
};

/** The hub of verify: welcomes bridges, sends pings, passes frames on, and judges the rules that need no check. */
export const openHub = async ({ host, port, token, account, waits, findings, watch, book }: HubOptions) => {
  const lines: Line[] = [];
  const judges = new WeakMap<Line, PlayersJudge>();
  const refused = new WeakSet<Line>();
  const roster = createRoster(account);
  const customJudge = createCustomJudge(findings);
  const catalogues = createCatalogues();
  const manner = { holdsWelcome: true, isSilent: false, isDraining: false };
  const counted = { lines: 0, pings: 0 };
  let session: Line | undefined;

  const broken = (rule: Rule, expected: string, saw: string): void =>
    findings.broken(rule, new Breach({ rule, expected, saw }));
  const now = (): number => Date.now() + CLOCK_AHEAD_MS;
  const open = (): Line[] => lines.filter((line) => line.isOpen());

  const dials = createDials({ token, findings, openLines: () => open().length });
  const processes = createProcesses({ findings, onOtherJournal: book.startOver });
  const linesJudge = createLinesJudge({ findings, watch, waits, open, isDraining: () => manner.isDraining });

  const welcome = (line: Line): void => {
    line.welcomedAt = performance.now();
    session = line;
    const inFlight = Math.min(LIMITS.inFlight, line.hello?.limits.inFlight ?? LIMITS.inFlight);
    line.send({
      type: 'welcome',
      session: `ses_verify_${line.number}`,
      epoch: line.number,
      now: now(),
      ping: { everyMs: LIMITS.pingEveryMs, timeoutMs: LIMITS.pingTimeoutMs },
      limits: { frameBytes: LIMITS.frameBytes, inFlight },
    });
    watch.notify();
  };

  const greet = (line: Line, { message, text, problem }: Frame): void => {
    findings.kept('R9');
    if (message?.type !== 'hello') {
      if (problem?.code !== 'invalid_message') broken('R9', 'hello as the first frame', text);
      refused.add(line);
      line.close(4522, '{"code":"bad_hello"}');
      return;
    }
    line.hello = message;
    processes.introduced(message);
    if (!manner.holdsWelcome) welcome(line);
  };

  const onFrame = (line: Line, frame: Frame): void => {
    if (refused.has(line)) return;
    judgeFrame(frame, findings);
    const { message, text } = frame;
    if (line.hello === undefined) greet(line, frame);
    else if (message?.type === 'hello') broken('R9', 'one hello per connection', text);
    else if (line.welcomedAt === undefined) broken('R12', 'nothing between hello and welcome', text);
    if (line.frames.at(-2)?.message?.type === 'bye') broken('R18', 'bye as the last frame', text);
    if (message !== undefined) {
      judges.get(line)?.heard(message);
      customJudge.heard(line, message);
      roster.heard(message);
      catalogues.heard(message);
      book.heard(message);
      processes.heard(message);
    }
    watch.notify();
  };

  const onEnd = (line: Line): void => {
    const { violation } = line.ending() ?? {};
    if (violation !== undefined) broken('R4', 'frames of at most 262144 bytes by RFC 6455', violation);
    watch.notify();
  };

  const onSocket = (socket: Socket): void => {
    counted.lines += 1;
    const line: Line = createLine({
      socket,
      number: counted.lines,
      onFrame: (frame) => onFrame(line, frame),
      onEnd: () => onEnd(line),
    });
    judges.set(line, createPlayersJudge(findings));
    lines.push(line);
    if (lines.length > LINES_KEPT) lines.shift();
    linesJudge.opened(line);
    watch.notify();
  };

  const admit = (request: IncomingMessage) => {
    const refusal = dials.admit(request);
    watch.notify();
    return refusal;
  };
  const door = await openDoor({ host, port, admit, onSocket, onBroken: dials.broken });

  const ping = (line: Line): number => {
    counted.pings += 1;
    line.send({ type: 'ping', n: counted.pings, now: now() });
    return counted.pings;
  };
  const heartbeat = setInterval(() => {
    if (!manner.isSilent) for (const line of open()) if (line.welcomedAt !== undefined) ping(line);
  }, waits.pingEveryMs);

  return {
    port: door.port,
    manner,
    roster,
    now,
    welcome,
    ping,
    isBridgeDraining: processes.isDraining,
    /** The newest welcomed connection. */
    session: (): Line | undefined => session,
    /** The newest connection that has sent hello and waits for its welcome. */
    waiting: (): Line | undefined =>
      lines.findLast((line) => line.isOpen() && line.hello !== undefined && line.welcomedAt === undefined),
    dials: dials.seen,
    /** Number of complete snapshots on a connection. */
    snapshots: (line: Line): number => judges.get(line)?.complete() ?? 0,
    /** The last announced custom commands. */
    custom: customJudge.known,
    /** The first entries of a catalogue; none if the bridge sent no such catalogue. */
    catalogue: catalogues.entriesOf,
    refuse: dials.refuse,
    hello: processes.hello,
    earlierHello: processes.earlierHello,
    latestHello: processes.latestHello,
    allowReplacement: processes.allowReplacement,
    /** Treats later connections as those of another process. */
    expectProcess: (): void => {
      processes.next();
      session = undefined;
      dials.refuseNobody();
    },
    judged: linesJudge.judged,
    close: async (): Promise<void> => {
      clearInterval(heartbeat);
      await door.close();
    },
  };
};
export type Hub = Awaited<ReturnType<typeof openHub>>;
