import type { Line } from '../line/line.ts';
import type { Waits, Watch } from '../line/watch.ts';
import { Breach, type Findings } from './findings.ts';

/** Judges the timing of connections: a hello that does not come, and a connection too many. */
export const createLinesJudge = ({
  findings,
  watch,
  waits,
  open,
  isDraining,
}: {
  findings: Findings;
  watch: Watch;
  waits: Waits;
  open: () => readonly Line[];
  isDraining: () => boolean;
}) => {
  /** Breach if the bridge keeps one connection too many. One that the bridge has given up may look open for a moment. */
  const judgeCount = async (line: Line): Promise<void> => {
    const allowed = isDraining() ? 2 : 1;
    const isAlone = () => (open().length <= allowed || !line.isOpen() ? true : undefined);
    if (await watch.happens(isAlone, waits.graceMs)) return;
    const saw = `${open().length} of them for ${waits.graceMs} ms`;
    findings.broken('R46', new Breach({ rule: 'R46', expected: 'one connection at a time', saw }));
  };

  /** Breach if no hello comes in time. */
  const judgeHello = async (line: Line): Promise<void> => {
    const isOver = () => (line.hello !== undefined || !line.isOpen() ? true : undefined);
    if (await watch.happens(isOver, waits.helloMs)) return;
    findings.broken('R9', new Breach({ rule: 'R9', expected: `hello within ${waits.helloMs} ms`, saw: 'nothing' }));
    line.close(4002, '{"code":"no_hello"}');
  };

  let judging: Promise<unknown> = Promise.resolve();

  return {
    opened: (line: Line): void => {
      findings.kept('R46');
      judging = Promise.all([judging, judgeCount(line)]);
      void judgeHello(line);
    },
    /** Resolves when each connection has been judged as allowed or as one too many. */
    judged: async (): Promise<void> => {
      await judging;
    },
  };
};
