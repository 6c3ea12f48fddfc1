import type { Frame, Line } from './line.ts';
import type { Answer, Side } from './side.ts';

type Row = { id: string; status: string; [field: string]: unknown };

/** All that callers and bridges see of a hub at one moment, and what came since the moment before. */
export type Observation = {
  lines: { frames: Frame[]; acks: string[]; end: unknown }[];
  answers: Record<number, Answer>;
  commands: Row[];
  batches: Row[];
  players: unknown;
  server: unknown;
};

/** Texts for people may change. */
const withoutText = <T extends object>(body: T): T => {
  const { title: _title, detail: _detail, ...rest } = body as T & { title?: unknown; detail?: unknown };
  const { error, errors } = rest as { error?: object; errors?: { pointer: string }[] };
  return {
    ...rest,
    ...(error !== undefined && { error: { ...error, message: '' } }),
    ...(errors !== undefined && { errors: errors.map(({ pointer }) => pointer) }),
  } as T;
};

const rowsOf = (body: Record<string, unknown>): Row[] => ((body['data'] ?? []) as Row[]).map(withoutText);

/** After these close frames, the hub cuts the line at once, so the bridge may not read them. */
const CUT = [1006, 4001, 4003, 4008];

/** How a line stands: its refusal, the code and reason of its end, or that it is open. */
const endOf = ({ closed, refused }: Line): unknown => {
  if (closed === undefined || refused !== undefined) return refused ?? 'open';
  return CUT.includes(closed.code) ? 'cut' : closed;
};

const observedFrame = (frame: Frame): Frame => (frame.type === 'error' ? { ...frame, message: '' } : frame);

/** Reads what the hub shows, and adds what came since the last time. */
export const observe = async (
  side: Side,
  { frames, answers }: { frames: readonly Frame[][]; answers: Record<number, Answer> },
): Promise<Observation> => {
  const [commands, batches, players, server] = await Promise.all([
    side.read('/api/v2/commands?limit=200'),
    side.read('/api/v2/batches'),
    side.read('/api/v2/players'),
    side.read('/api/v2/servers/main'),
  ]);
  return {
    lines: side.lines.map((line, n) => {
      const all = frames[n] ?? [];
      return {
        frames: all.filter(({ type }) => type !== 'ack').map(observedFrame),
        // They share frames with one another, in any order.
        acks: all.flatMap((frame) => (frame.type === 'ack' ? (frame['ids'] as string[]) : [])).toSorted(),
        end: endOf(line),
      };
    }),
    answers: Object.fromEntries(
      Object.entries(answers).map(([number, answer]) => [
        number,
        answer === 'cut' ? answer : { ...answer, body: withoutText(answer.body) },
      ]),
    ),
    commands: rowsOf(side.named(commands)),
    batches: rowsOf(side.named(batches)),
    players: players['data'],
    server,
  };
};

/** JSON with the keys in order. */
const shown = (value: unknown): string =>
  JSON.stringify(value, (_key, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  ) ?? 'nothing';

/** The places in which two values differ, as lines of text; none if they are equal. */
export const differences = (before: unknown, now: unknown, place = ''): string[] => {
  if (shown(before) === shown(now)) return [];
  const isPair = [before, now].every((value) => typeof value === 'object' && value !== null);
  if (!isPair) return [`${place}:`, `    old ${shown(before)}`, `    new ${shown(now)}`];
  const [one, other] = [before, now] as Record<string, unknown>[];
  const keys = new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})]);
  return [...keys].flatMap((key) => differences(one?.[key], other?.[key], `${place}/${key}`));
};
