import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { atEnd } from '../kit/ends.ts';
import { newFolder } from '../kit/folder.ts';
import { INTERPRETERS, runLua } from './lua.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

it.each(INTERPRETERS)(
  'passes the tests of the Lua bridge under %s',
  async (interpreter) => {
    const said = await runLua(interpreter, 'main.lua').catch((error) => error.stdout || String(error));
    expect(said).toMatch(/^[1-9]\d* passed, 0 failed\n$/);
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
