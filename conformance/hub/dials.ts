import type { IncomingMessage } from 'node:http';
import { Breach, type Findings } from '../judges/findings.ts';
import { judgeHandshake } from '../judges/frames.ts';
import { ELSEWHERE, type Refusal } from '../line/door.ts';

/** Maximum number of open connections; further ones are refused. */
const OPEN_LINES = 20;

/** The handshakes: counts them, refuses some on request, and judges them. */
export const createDials = ({
  token,
  findings,
  openLines,
}: {
  token: string | undefined;
  findings: Findings;
  openLines: () => number;
}) => {
  const refusals: Refusal[] = [];
  let count = 0;
  let lastAt = 0;
  return {
    admit: (request: IncomingMessage): Refusal | undefined => {
      count += 1;
      lastAt = performance.now();
      judgeHandshake(request, token, findings);
      if (request.url === ELSEWHERE) return { status: 503, code: 'draining', retryAfterMs: 1_000 };
      if (openLines() < OPEN_LINES) return refusals.shift();
      const saw = `${OPEN_LINES} at a time`;
      findings.broken('R46', new Breach({ rule: 'R46', expected: 'at most two connections', saw }));
      return { status: 503, code: 'node_full', retryAfterMs: 1_000 };
    },
    broken: (problem: string): void =>
      findings.broken('R1', new Breach({ rule: 'R1', expected: 'a handshake by RFC 6455', saw: problem })),
    /** Answers the next handshake with this refusal. */
    refuse: (refusal: Refusal): void => {
      refusals.push(refusal);
    },
    refuseNobody: (): void => {
      refusals.length = 0;
    },
    /** Number of handshakes so far, including refused ones, and the time of the last one. */
    seen: (): { count: number; lastAt: number } => ({ count, lastAt }),
  };
};
