import type { IncomingMessage } from 'node:http';
import { commandTag } from '../../bridge-protocol/wire/commands.ts';
import { PROTOCOL_VERSION, SUBPROTOCOL } from '../../bridge-protocol/wire/limits.ts';
import type { BridgeMessage, MessageOf } from '../../bridge-protocol/wire/messages.ts';
import type { Frame } from '../line/line.ts';
import { Breach, type Findings } from './findings.ts';
import type { Rule } from './rules.ts';

export type Hello = MessageOf<BridgeMessage, 'hello'>;

/** A frame with several players is at most this large; the margin covers fields beside the players. */
const PLAYERS_BYTES = 64 * 1024 + 1024;

const isNullAt = (json: string, path: string): boolean => {
  let value: unknown = JSON.parse(json);
  for (const step of path.split('/').slice(1)) value = Object(value)[step];
  return value === null;
};

const ruleOf = ({ text, problem }: Frame): Rule => {
  if (problem?.code !== 'invalid_message') return 'R4';
  const path = /^(\/[^:]*): /.exec(problem.text)?.[1];
  if (path !== undefined && isNullAt(text, path)) return 'R8';
  if (problem.re === 'hello') return 'R9';
  if (problem.re === 'commands.custom') return 'R47';
  return problem.re?.startsWith('players.') === true ? 'R22' : 'R4';
};

/** Judges a single frame. Fields and types of a newer protocol are not a breach. */
export const judgeFrame = (frame: Frame, findings: Findings): void => {
  const { problem, message, bytes, text } = frame;
  if (problem?.code === 'unsupported') return;
  if (problem !== undefined) {
    const rule = ruleOf(frame);
    findings.broken(rule, new Breach({ rule, expected: `a frame that fits (${problem.text})`, saw: text }));
    return;
  }
  findings.kept('R4');
  findings.kept('R8');
  if (message?.type !== 'players.snapshot' && message?.type !== 'players.changed') return;
  findings.kept('R22');
  if (bytes <= PLAYERS_BYTES || message.players.length < 2) return;
  const saw = `${message.players.length} players in ${bytes} bytes`;
  findings.broken('R22', new Breach({ rule: 'R22', expected: 'frames about players of at most 64 KiB', saw }));
};

/** Judges a handshake. The token is compared only if verify was given one. */
export const judgeHandshake = (request: IncomingMessage, token: string | undefined, findings: Findings): void => {
  findings.kept('R1');
  const expect = (holds: boolean, expected: string, saw: string): void => {
    if (!holds) findings.broken('R1', new Breach({ rule: 'R1', expected, saw }));
  };
  const { url = '', headers } = request;
  const given = headers.authorization ?? '';
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  expect(url.split('?')[0] === '/bridge', 'the path /bridge', url);
  expect(offered.includes(SUBPROTOCOL), `${SUBPROTOCOL} in Sec-WebSocket-Protocol`, offered.join());
  expect(headers.origin === undefined, 'no Origin', headers.origin ?? '');
  expect(/^Bearer \S+$/.test(given), 'Authorization: Bearer and a token', given === '' ? 'none' : 'another form');
  if (token !== undefined) expect(given === `Bearer ${token}`, 'the token that verify was given', 'another one');
};

/** Judges a hello against the first hello of its process, and against the last hello of the process before. */
export const judgeHello = (
  hello: Hello,
  { first, earlier }: { first: Hello | undefined; earlier: Hello | undefined },
  findings: Findings,
): void => {
  const expect = (rule: Rule, holds: boolean, expected: string, saw: unknown): void => {
    findings.kept(rule);
    if (!holds) findings.broken(rule, new Breach({ rule, expected, saw: JSON.stringify(saw) }));
  };
  expect('R9', hello.protocol === PROTOCOL_VERSION, `protocol ${PROTOCOL_VERSION}`, hello.protocol);
  const hasAccounts = hello.accounts.length > 0 || !hello.commands.includes(commandTag('money'));
  expect('R11', hasAccounts, 'an account for money', hello.accounts);
  if (first !== undefined) {
    const { instance, journal } = hello;
    expect('R10', instance === first.instance, `the instance ${first.instance} again`, instance);
    expect('R40', journal.id === first.journal.id, `the journal ${first.journal.id} again`, journal);
    expect(
      'R41',
      journal.sequence === first.journal.sequence,
      `the sequence ${first.journal.sequence} in each hello of this process`,
      journal,
    );
  } else if (earlier !== undefined) {
    expect('R10', hello.instance !== earlier.instance, 'a new instance for a new process', hello.instance);
  }
};
