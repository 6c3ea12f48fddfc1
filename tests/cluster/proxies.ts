import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { freePort } from '../kit/free-port.ts';

const deploy = join(import.meta.dirname, '../../deploy/cluster');
// Debian puts them where only root looks.
const PATH = `${process.env['PATH']}:/usr/sbin`;

/** The documented file, with a port of this machine for its own and for each hub, and without TLS. */
const configurationOf = async (file: string, port: number, hubs: readonly number[]): Promise<string> => {
  let text = await readFile(join(deploy, file), 'utf8');
  hubs.forEach((hub, index) => {
    text = text.replace(`hub-${index + 1}:8080`, `127.0.0.1:${hub}`);
  });
  return text
    .replace(/bind :443 ssl .*/, `bind 127.0.0.1:${port}`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/ssl_certificate.*/g, '')
    .replace('{$DOMAIN}', `http://127.0.0.1:${port}`);
};

/** The settings that nginx reads from its main file. */
const nginxMain = (folder: string, server: string): string =>
  `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr;
  events { worker_connections 4096; }
  http { access_log off; ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  ${server} }`;

const PROXIES = {
  haproxy: { program: 'haproxy', file: 'haproxy.cfg', args: ['-db', '-f'], wrap: (_: string, text: string) => text },
  nginx: { program: 'nginx', file: 'nginx.conf', args: ['-c'], wrap: nginxMain },
  caddy: {
    program: 'caddy',
    file: 'Caddyfile',
    args: ['run', '--adapter', 'caddyfile', '--config'],
    wrap: (_: string, text: string) => `{\n  admin off\n}\n${text}`,
  },
};
export type ProxyName = keyof typeof PROXIES;

/** The proxy in front of hubs at these ports, as deploy/ configures it. */
export const openProxyServer = async (name: ProxyName, hubs: readonly number[]) => {
  const { program, file, args, wrap } = PROXIES[name];
  const folder = await mkdtemp(join(tmpdir(), `causeway-${name}-`));
  const port = await freePort();
  const path = join(folder, file);
  await writeFile(path, wrap(folder, await configurationOf(file, port, hubs)));
  const child = spawn(program, [...args, path], { env: { PATH, HOME: folder }, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text) => {
    said = (said + String(text)).slice(-5_000);
  });
  const address = `http://127.0.0.1:${port}`;
  const isReady = async (): Promise<number> => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${said}`);
    return (await fetch(`${address}/readyz`).catch(() => ({ status: 0 }))).status;
  };
  await expect.poll(isReady).toBe(200);
  return {
    port,
    bridgeUrl: `ws://127.0.0.1:${port}/bridge`,
    said: () => said,
    close: async (): Promise<void> => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 2_000);
      await ended;
      clearTimeout(late);
      await rm(folder, { recursive: true, force: true });
    },
  };
};
