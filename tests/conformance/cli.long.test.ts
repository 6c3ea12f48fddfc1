import { join } from 'node:path';
import { describe, it } from 'vitest';
import type { Report } from '../../conformance/report.ts';
import { openWorkplace, SLOW } from '../kit/cli.ts';

const PROGRAM = join(import.meta.dirname, '../../server/cli/causeway.js');
const WS = join(import.meta.dirname, '../../node_modules/ws');

/** A bridge in a line: it does not wait for its welcome, and ends with its connection. */
const bridgeOf = (instance: string, accounts: string): string => `node -e "
  const socket = new (require('${WS}'))(process.env.CAUSEWAY_URL, 'causeway.v1', {
    headers: { Authorization: 'Bearer ' + process.env.CAUSEWAY_TOKEN } });
  const say = (frame) => socket.send(JSON.stringify(frame));
  socket.on('open', () => {
    say({ type: 'hello', protocol: 1, instance: ${instance}, software: { name: 'x', version: '1' },
      commands: ['money@1'], accounts: [${accounts}], journal: { class: 'volatile', id: 'j', sequence: 0 } });
    say({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [] });
  });"`;
const UNNAMED = bridgeOf("'i'", '');

describe.concurrent('causeway bridge verify', SLOW, () => {
  it('runs the simulated game server, kills it, and reports', async ({ expect, onTestFinished }) => {
    const { run } = openWorkplace(onTestFinished);
    const line = `exec node ${PROGRAM} bridge simulate --url $CAUSEWAY_URL --players 20 --world world.db`;
    const ended = await run(['bridge', 'verify', '--listen', '0', '--run', line, '--only', 'R1,R35,R17,R54,R55,R56']);
    expect(ended.stderr).toBe('');
    const lines = ended.stdout.trim().split('\n');
    expect(lines[0]).toMatch(/^Your bridge runs at ws:\/\/127\.0\.0\.1:\d+\/bridge\.$/);
    expect(lines).toContain(
      'pass  has every result in its journal when it is killed before the ack (R35, R13, R39, R40)',
    );
    expect(lines.slice(-7)).toEqual([
      'R1   pass       opens /bridge with its token, offers causeway.v1, sends no Origin',
      'R17  not tried  needs --slow',
      'R35  pass       writes the outcome before the result',
      'R54  pass       refuses items, models, jobs and grades that the game does not have',
      'R55  pass       takes no items and no vehicle that the player does not have',
      'R56  pass       gives no plate twice',
      '5 passed, 0 failed, 1 not tried',
    ]);
    expect(ended.code).toBe(0);
  });

  it('fails when a rule is broken, and prints one document for programs', async ({ expect, onTestFinished }) => {
    const { run } = openWorkplace(onTestFinished);
    const ended = await run(['bridge', 'verify', '--listen', '0', '--run', UNNAMED, '--only', 'R11,R2', '--json']);
    const report: Report = JSON.parse(ended.stdout);
    expect(report).toMatchObject({ passed: 0, failed: 1, notTried: 1, bridge: { accounts: [] } });
    expect(report.rules).toEqual([
      { rule: 'R2', outcome: 'not tried', text: 'verify listens without TLS' },
      { rule: 'R11', outcome: 'fail', text: 'expected an account for money; saw []' },
    ]);
    expect(ended.stderr).toMatch(/^FAIL {2}says hello and waits for its welcome \(R9, R12\): /m);
    expect(ended.code).toBe(1);
  });

  it('does not blame a bridge that a supervisor starts again after 4509', async ({ expect, onTestFinished }) => {
    const { run } = openWorkplace(onTestFinished);
    const verify = (instance: string) => {
      const line = `while :; do ${bridgeOf(instance, "'bank'")}; done`;
      return run(['bridge', 'verify', '--listen', '0', '--run', line, '--only', 'R43']);
    };
    const [another, same] = await Promise.all([verify('String(process.pid)'), verify("'i'")]);
    expect(another.stdout).toMatch(/^R43 {2}pass {7}.*another instance dialled after 4509.*stay alive and idle/m);
    expect(same.stdout).toMatch(/^R43 {2}FAIL {7}the same instance dialled again after 4509$/m);
    expect([another.code, same.code]).toEqual([0, 1]);
  });

  it('says in one line why it cannot begin', async ({ expect, onTestFinished }) => {
    const { run } = openWorkplace(onTestFinished);
    const verify = (...args: string[]) => run(['bridge', 'verify', ...args]);
    const [dead, unknown, same, custom] = await Promise.all([
      verify('--listen', '0', '--run', 'echo no journal here >&2; exit 3'),
      verify('--listen', '0', '--only', 'R24,R99'),
      verify('--listen', '0', '--target', 'char1:ana', '--kick', 'char1:ana'),
      verify('--listen', '0', '--custom', 'revive {target}'),
    ]);
    expect(dead.stderr).toBe(
      'causeway: no bridge dialled in: the bridge ended with exit code 3; its last words: no journal here\n',
    );
    expect(unknown.stderr).toBe('causeway: --only: there is no rule "R99"; use some of R1 to R60\n');
    expect(same.stderr).toBe('causeway: --target, --other and --kick must be different players\n');
    expect(custom.stderr).toMatch(
      /^causeway: option '--custom .* Use the name of a custom command and its parameters: .*\n$/,
    );
    expect([dead.code, unknown.code, same.code, custom.code]).toEqual([1, 2, 2, 2]);
  });
});
