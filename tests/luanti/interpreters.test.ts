import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { atEnd } from '../testkit/ends.ts';
import { startHub } from '../testkit/hub.ts';
import { createVictim } from '../testkit/processes.ts';
import { until } from '../testkit/until.ts';
import { newFolder } from './stage.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The three languages that the bridge is written for; each is a package of Debian. */
const INTERPRETERS = ['lua5.1', 'lua5.4', 'luajit'] as const;
const KILLS = 7;
/** In flight when the process is killed. */
const PAYMENTS = 5;

const run = promisify(execFile);

/** Runs a script to its end and returns its output. A missing interpreter and an exit code other than 0 are errors. */
const runLua = async (interpreter: string, script: string, args: readonly string[] = []): Promise<string> =>
  (await run(interpreter, [`tests/bridge-lua/${script}`, ...args], { cwd: ROOT, timeout: 500_000 })).stdout;

it.each(INTERPRETERS)(
  'passes the tests of the Lua bridge under %s',
  async (interpreter) => {
    const said = await runLua(interpreter, 'main.lua').catch((error) => error.stdout || String(error));
    expect(said).toMatch(/^[1-9]\d* passed, 0 failed\n$/);
  },
  500_000,
);

it.each(INTERPRETERS)(
  'needs no more memory after 100,000 commands and 1,000 reconnects under %s',
  async (interpreter) => {
    const said = await runLua(interpreter, 'measure_memory.lua');
    process.stdout.write(`${interpreter}\n${said}`);
    expect(said).toMatch(/100000 commands/);
  },
  500_000,
);

it.each(INTERPRETERS)(
  'measures what the host takes for fsync and for the look-up of a name under %s',
  async (interpreter) => {
    const env = { ...process.env, LUA_PATH: 'bridge-lua/?.lua;bridge-lua/?/init.lua;;' };
    const { stdout } = await run(interpreter, ['bridge-lua/examples/measure.lua', newFolder()], { cwd: ROOT, env });
    process.stdout.write(`${interpreter}\n${stdout}`);
    expect(stdout).toMatch(/^look-up of localhost .*\nfsync of 300 bytes .*\nfsync of the folder .*\n$/);
  },
);

/** A bank in Lua whose process can be killed, and a hub that pays its player. */
const openBank = async (interpreter: string) => {
  const hub = await startHub();
  const env = {
    LUA_PATH: 'bridge-lua/?.lua;bridge-lua/?/init.lua;;',
    CAUSEWAY_URL: hub.bridgeUrl,
    CAUSEWAY_TOKEN: hub.token,
    CAUSEWAY_JOURNAL: join(newFolder(), 'bank.journal'),
  };
  const bank = createVictim(['bridge-lua/examples/ledger.lua'], env, { program: interpreter });
  atEnd(() => bank.kill());
  const pay = (nth: number) =>
    hub.request('/api/v2/bridge/main/money', {
      json: { target: 'char1:ana', type: 'bank', action: 'add', amount: nth },
      headers: { Prefer: 'wait=5', 'Idempotency-Key': `payment-${nth}` },
    });
  return {
    bank,
    pay,
    connected: () => until(() => hub.sizes().sessions === 1, `the bank is connected; it said ${bank.said()}`),
    gone: () => until(() => hub.sizes().sessions === 0, 'the hub has noticed'),
    balance: async (): Promise<number> => {
      const answer = await hub.request('/api/v2/players/char1:ana', { headers: { 'Cache-Control': 'no-cache' } });
      return (answer.body['accounts'] as Record<string, number>)['bank'] ?? 0;
    },
  };
};

it.each(INTERPRETERS)(
  'loses and doubles no payment when the bank is killed again and again under %s',
  async (interpreter) => {
    const { bank, pay, connected, gone, balance } = await openBank(interpreter);
    for (let kill = 0; kill < KILLS; kill += 1) {
      bank.start();
      await connected();
      const open = Array.from({ length: PAYMENTS }, (_, n) => pay(kill * PAYMENTS + n + 1));
      await Promise.race(open);
      await bank.kill('SIGKILL');
      await Promise.all(open);
      await gone();
    }
    bank.start();
    await connected();
    let sum = 0;
    for (let nth = 1; nth <= KILLS * PAYMENTS; nth += 1) {
      let answer = await pay(nth);
      await until(async () => {
        if (answer.status !== 202 && answer.status !== 503) return true;
        answer = await pay(nth);
        return false;
      }, `payment ${nth} has ended`);
      // The bank is atomic, so it knows of each payment whether it happened.
      expect(answer.body, `payment ${nth}`).not.toMatchObject({ executed: 'unknown' });
      if (answer.status === 200) sum += nth;
    }
    expect(sum).toBeGreaterThan(0);
    expect(await balance()).toBe(sum);
  },
  300_000,
);

/** An authority, and certificates that it signs. */
const openAuthority = () => {
  const folder = newFolder();
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-x509', ...key, '-subj', '/CN=Test CA', '-days', '30', '-keyout', 'ca.key', '-out', 'ca.pem');
  return {
    ca: join(folder, 'ca.pem'),
    /** Starts a TLS server whose certificate has such alternative names; returns its port. */
    serve: async (names: string, { days = '30', subject = '/CN=hub.example.test' } = {}): Promise<number> => {
      openssl('req', '-new', ...key, '-subj', subject, '-keyout', 'leaf.key', '-out', 'leaf.csr');
      writeFileSync(join(folder, 'names'), names === '' ? '' : `subjectAltName=${names}\n`);
      const signed = ['-req', '-in', 'leaf.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', days];
      openssl('x509', ...signed, '-extfile', 'names', '-out', 'leaf.pem');
      const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
      const server = tls.createServer({ key: read('leaf.key'), cert: read('leaf.pem') });
      server.on('tlsClientError', () => undefined);
      server.on('secureConnection', (socket) => socket.on('error', () => socket.destroy()));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      atEnd(() => server.close());
      return (server.address() as AddressInfo).port;
    },
  };
};

describe('TLS with LuaSec', () => {
  const dial = (host: string, port: number, ca: string) => runLua('lua5.1', 'tls_client.lua', [host, String(port), ca]);

  it('connects to the host that the certificate names', async () => {
    const { ca, serve } = openAuthority();
    const port = await serve('DNS:hub.example.test,DNS:*.wild.example.test,IP:127.0.0.1');
    for (const host of ['hub.example.test', 'HUB.example.test', 'a.wild.example.test', '127.0.0.1']) {
      const said = await dial(host, port, ca);
      process.stdout.write(`longest call of a TLS handshake, ms of processor time: ${said}`);
      expect(said, host).toMatch(/^ready\t/);
    }
  });

  it('refuses a certificate of another host', async () => {
    const { ca, serve } = openAuthority();
    const port = await serve('DNS:hub.example.test,DNS:*.wild.example.test,DNS:127.0.0.3,DNS:*.test,IP:127.0.0.1');
    const others = [
      'other.example.test',
      'wild.example.test',
      'a.b.wild.example.test',
      'hub.test',
      '127.0.0.2',
      '127.0.0.3',
    ];
    for (const host of others)
      expect(await dial(host, port, ca), host).toMatch(/^TLS: the certificate belongs to another host\t/);
    const common = await serve('');
    expect(await dial('hub.example.test', common, ca)).toMatch(/^TLS: the certificate belongs to another host\t/);
  });

  it('refuses a certificate that has expired, and one that no authority signed', async () => {
    const { ca, serve } = openAuthority();
    const expired = await serve('DNS:hub.example.test', { days: '-1' });
    expect(await dial('hub.example.test', expired, ca)).toMatch(/^TLS: .*certificate verify failed\t/);
    const port = await serve('DNS:hub.example.test');
    const other = openAuthority();
    expect(await dial('hub.example.test', port, other.ca)).toMatch(/^TLS: .*certificate verify failed\t/);
  });
});
