import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { OLDEST_GLIBC } from '../release/deb.ts';
import { configSchema } from '../server/platform/config.ts';
import { readStages } from './kit/dockerfile.ts';
import { skipUnless } from './kit/possible.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const analyze = '/usr/bin/systemd-analyze';

/** How the command line is called there, for texts that say what to type. */
const COMMAND = 'CAUSEWAY_COMMAND';
/** Settings that a hub accepts, and settings that it refuses or ignores. */
const isSetting = (name: string): boolean => name in configSchema.shape || name === COMMAND;

/** Twice the grace of commands, and nine seconds: docs/guides/run-a-hub.md. */
const STOPPED_AFTER_S = (2 * configSchema.parse({}).SHUTDOWN_GRACE_MS) / 1_000 + 9;

type Service = {
  image: string;
  build?: string;
  stop_grace_period?: string;
  environment?: Record<string, string>;
  depends_on?: object;
  volumes?: string[];
};
type Compose = { services: Record<string, Service>; volumes: object };
type Egg = {
  description: string;
  docker_images: Record<string, string>;
  startup: string;
  variables: { env_variable: string; default_value: string }[];
  config: { startup: string; stop: string };
};

/** Settings, times and names of a compose file that the program and the tree must agree with. */
const agrees = (folder: string, { services, volumes }: Compose, hubs: [string, Service][]): void => {
  it('has settings that a hub knows', () => {
    expect(hubs.length).toBeGreaterThan(0);
    for (const [, { environment = {} }] of hubs) {
      expect(Object.keys(environment).filter((name) => !isSetting(name))).toEqual([]);
    }
  });

  it('gives hubs the time that they need to stop', () => {
    for (const [, { stop_grace_period: grace = '' }] of hubs) {
      expect(Number.parseInt(grace, 10)).toBeGreaterThan(STOPPED_AFTER_S);
    }
  });

  it('names only services, volumes and files that are there', () => {
    for (const { build, depends_on: needed = {}, volumes: mounts = [] } of Object.values(services)) {
      if (build !== undefined) expect(existsSync(join(root, folder, build, 'Dockerfile'))).toBe(true);
      const names = Array.isArray(needed) ? needed : Object.keys(needed);
      expect(names.filter((name: string) => services[name] === undefined)).toEqual([]);
      for (const source of mounts.map((mount) => mount.split(':', 1)[0] ?? '')) {
        if (source.startsWith('.')) expect(existsSync(join(root, folder, source))).toBe(true);
        else expect(volumes).toHaveProperty(source);
      }
    }
  });
};

describe('compose.yaml', () => {
  const compose = parse(read('compose.yaml')) as Compose;
  const { hub } = compose.services;
  agrees('.', compose, hub === undefined ? [] : [['hub', hub]]);

  it('keeps the database and its backups in the volume, and has a proxy that knows the hub', () => {
    expect(hub?.environment?.['DATABASE_URL']).toBe('file:/data/causeway.db');
    expect(hub?.volumes).toEqual(['causeway:/data']);
    expect(read('deploy/Caddyfile')).toContain('reverse_proxy hub:8080');
  });
});

describe('deploy/cluster/compose.yaml', () => {
  const compose = parse(read('deploy/cluster/compose.yaml'), { merge: true }) as Compose;
  const { services } = compose;
  const hubs = Object.entries(services).filter(([name]) => name.startsWith('hub-'));
  agrees('deploy/cluster', compose, hubs);

  it('starts three hubs under names of their own, on one database', () => {
    expect(hubs.map(([name, { environment }]) => [name, environment?.['NODE_NAME']])).toEqual(
      ['hub-1', 'hub-2', 'hub-3'].map((name) => [name, name]),
    );
    for (const [, { environment = {} }] of hubs) {
      expect(environment['DATABASE_URL']).toMatch(/^postgres:\/\/causeway:\$\{POSTGRES_PASSWORD:\?/);
    }
  });

  it.each(['Caddyfile', 'haproxy.cfg', 'nginx.conf'])('has a proxy that knows every hub: %s', (file) => {
    for (const [name] of hubs) expect(read(`deploy/cluster/${file}`)).toContain(`${name}:8080`);
  });
});

describe('deploy/pterodactyl-egg.json', () => {
  const egg = JSON.parse(read('deploy/pterodactyl-egg.json')) as Egg;

  it('has settings that a hub knows, on the port of the panel', () => {
    expect(egg.variables.map(({ env_variable }) => env_variable).filter((name) => !isSetting(name))).toEqual([]);
    expect(egg.startup).toBe('PORT={{SERVER_PORT}} ./causeway-linux-x64 start');
  });

  it('waits for the line that a hub logs, and stops it by a signal', () => {
    expect(JSON.parse(egg.config.startup)).toEqual({ done: 'hub listens' });
    expect(read('server/cli/start.ts')).toContain("'hub listens'");
    expect(egg.config.stop).toBe('^C');
  });

  it('believes no caller who claims to be a proxy, unless the operator says so', () => {
    expect(egg.variables.find((each) => each.env_variable === 'TRUST_PROXY')?.default_value).toBe('0');
  });

  it('runs where the addon of SQLite finds its glibc', () => {
    // Debian 12, by oses/debian of github.com/pelican-eggs/yolks.
    expect(egg.docker_images).toEqual({ 'Debian 12': 'ghcr.io/pelican-eggs/yolks:debian' });
    expect(egg.description).toContain(`glibc ${OLDEST_GLIBC} or newer`);
  });
});

describe('files that were never run', () => {
  it.each(['compose.yaml', 'deploy/Caddyfile', 'deploy/cluster/compose.yaml', 'deploy/cluster/nginx.conf'])(
    'say so in their first line: %s',
    (file) => expect(read(file).split('\n', 1)[0]).toMatch(/^# (?:Not run|Never tried)/),
  );
});

describe('the examples of proxies', () => {
  it('tell browsers to come over TLS only, for a year', () => {
    const hsts = /Strict-Transport-Security "max-age=31536000; includeSubDomains"/;
    for (const file of ['deploy/Caddyfile', 'deploy/cluster/Caddyfile']) expect(read(file)).toMatch(hsts);
    const blocks = [...read('docs/guides/run-a-hub.md').matchAll(/```nginx\n([\s\S]*?)```/g)].map(
      ([, block = '']) => block,
    );
    const servers = blocks.filter((block) => block.includes('listen 443'));
    expect(servers.length).toBeGreaterThan(0);
    for (const block of servers) expect(block).toMatch(hsts);
  });
});

describe('the Dockerfile', () => {
  // tests/image.long.test.ts tries the image itself.
  it('copies only what there is, and ends as no root', () => {
    const copies = readStages().flatMap((stage) => stage.copies);
    const fromHere = copies.filter(({ from }) => from === undefined).flatMap(({ sources }) => sources);
    expect(fromHere.length).toBeGreaterThan(10);
    expect(fromHere.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const users = read('Dockerfile').match(/^USER .*$/gm);
    expect(users).toEqual(['USER node']);
  });
});

describe('lockfiles', () => {
  it.each(['.', 'bench', 'tests'])('of %s name no registry', (folder) => {
    expect(read(`${folder}/package-lock.json`)).not.toContain('"resolved"');
    expect(read(`${folder}/.npmrc`)).toContain('omit-lockfile-registry-resolved=true');
  });
});

describe.each(['deploy/causeway.service', 'release/debian/causeway.service'])('%s', (unit) => {
  it('gives a hub the time that it needs to stop', () => {
    const [, timeout] = /^TimeoutStopSec=(\d+)$/m.exec(read(unit)) ?? [];
    expect(Number(timeout)).toBeGreaterThan(STOPPED_AFTER_S);
  });

  it.skipIf(skipUnless(existsSync(analyze)))('is a unit that systemd understands', async () => {
    const { stdout, stderr } = await promisify(execFile)(analyze, ['verify', join(root, unit)]).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    const about = (stdout + stderr).split('\n').filter((line) => line.includes('causeway.service'));
    // The program is not installed here.
    expect(about.filter((line) => !/\/usr\/\S+ is not executable/.test(line))).toEqual([]);
  });
});
