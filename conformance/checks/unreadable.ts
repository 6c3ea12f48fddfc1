import { LIMITS } from '../../bridge-protocol/wire/limits.ts';
import { Breach } from '../judges/findings.ts';
import type { Stage } from '../stage/stage.ts';
import type { Check } from './check.ts';

const DEEP = `${'['.repeat(LIMITS.nesting)}${']'.repeat(LIMITS.nesting)}`;

type Unreadable = { what: string; text: string; isAnswered: boolean };

/** Some bridges can read a frame whose only fault is its depth. */
const UNREADABLE: readonly Unreadable[] = [
  { what: 'a frame that is not JSON', text: '{"type":', isAnswered: true },
  { what: 'a frame that is a list', text: '[]', isAnswered: true },
  { what: 'a command without fields', text: '{"type":"command"}', isAnswered: true },
  {
    what: `a frame nested ${LIMITS.nesting + 1} deep`,
    text: `{"type":"ping","n":4243,"now":0,"x":${DEEP}}`,
    isAnswered: false,
  },
];

/** Sends one frame, then a ping; both are answered on the same connection. */
const survives = async (stage: Stage, { what, text, isAnswered }: Unreadable): Promise<void> => {
  const { hub, happens, waits } = stage;
  const on = stage.line();
  const since = on.frames.length;
  on.sendText(text);
  const n = hub.ping(on);
  const came = (type: string) => on.frames.slice(since).some(({ message }) => message?.type === type);
  const isPonged = () => on.frames.slice(since).some(({ message }) => message?.type === 'pong' && message.n === n);
  await happens(() => (isPonged() || on.ending() !== undefined ? true : undefined), waits.answerMs);
  const ending = on.ending();
  if (ending !== undefined) throw new Breach({ saw: `${what} ended the connection with ${ending.code}` });
  if (!isPonged()) throw new Breach({ saw: `${what} was the last frame that the bridge answered to` });
  const isComplained = () => (came('error') ? true : undefined);
  if (!isAnswered || (await happens(isComplained, waits.answerMs))) return;
  throw new Breach({ saw: `${what} was not answered with error` });
};

/** Frames that a bridge cannot act on. */
export const UNREADABLE_CHECKS: readonly Check[] = [
  {
    rules: ['R50'],
    name: 'stays connected after frames that it cannot read',
    run: async (stage) => {
      for (const one of UNREADABLE) await survives(stage, one);
    },
  },
];
