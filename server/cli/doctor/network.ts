import { connect } from 'node:net';
import { readHolder } from '../../../db/sqlite/lock.ts';
import { type Config, isLoopbackHost } from '../../platform/config.ts';
import { DEADLINE_MS, type Parts, type Said } from './finding.ts';

const LATE = 'no answer in time';

/** Asks an address. Another program than a hub is a number, its status; no answer is the code of the error. */
const readyAt = async (url: string): Promise<'ready' | 'not ready' | number | string> => {
  try {
    const answer = await fetch(`${url}/readyz`, { redirect: 'manual', signal: AbortSignal.timeout(DEADLINE_MS) });
    const text = (await answer.text()).slice(0, 100);
    if (answer.status === 200 && text === 'ok\n') return 'ready';
    return answer.status === 503 && /^(draining|database)\n$/.test(text) ? 'not ready' : answer.status;
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return LATE;
    const cause = error instanceof Error ? error.cause : undefined;
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    return typeof code === 'string' ? code : 'no HTTP';
  }
};

/** An address of this machine instead of all its addresses. */
const local = (host: string): string =>
  ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;

/**
 * The address of the hub that uses this database, whatever PORT says here: its lock file has it. Otherwise that of the
 * settings.
 */
export const addressOfHub = async ({ DATABASE_URL, HOST, PORT }: Pick<Config, 'DATABASE_URL' | 'HOST' | 'PORT'>) => {
  const configured = `http://${local(HOST)}:${PORT}`;
  const held = readHolder(DATABASE_URL)?.address.replace(/\/\/(?:0\.0\.0\.0|\[?::\]?):/, '//127.0.0.1:');
  if (held === undefined || held === configured) return configured;
  return ['ready', 'not ready'].includes(String(await readyAt(held))) ? held : configured;
};

const NOT_OURS = /^(ENOTFOUND|EAI_AGAIN|EADDRNOTAVAIL|EHOSTUNREACH|ENETUNREACH)$/;

/** Whether the hub at this port may be that of the file. The record says which port the newest hub of it was given. */
const mayServe = (url: string, port: number): boolean => {
  const given = readHolder(url)?.address;
  return given !== undefined && ['0', String(port)].includes(new URL(given).port || '80');
};

export const checkPort = async ({ config, file, command }: Parts): Promise<Said> => {
  const { HOST, DATABASE_URL } = config;
  const address = await addressOfHub(config);
  const found = await readyAt(address);
  const port = Number(new URL(address).port || 80);
  const place = `${HOST}, port ${port}`;
  if (found === 'ready' || found === 'not ready') {
    if (file !== undefined && !mayServe(DATABASE_URL, port)) {
      return ['fail', `a hub answers at ${place}, but not the hub of ${file}; set PORT or DATABASE_URL`];
    }
    if (found === 'ready') return ['ok', `a hub answers at ${place}`];
    return ['warn', `the hub at ${place} is not ready; look at its log`];
  }
  if (found === 'ECONNREFUSED') return ['warn', `no hub runs at ${place}; start it with: ${command} start`];
  if (found === LATE)
    return ['fail', `no answer in time at ${place}; restart the hub, or set PORT if it is another program`];
  if (NOT_OURS.test(String(found)))
    return ['fail', `${HOST} cannot be reached (${found}); set HOST to an address of this machine`];
  return ['fail', `another program answers at ${place} (${found}); set PORT`];
};

export const checkPublic = ({ config: { PUBLIC_URL, TRUST_PROXY, HOST } }: Parts): Said => {
  if (PUBLIC_URL === undefined) {
    if (TRUST_PROXY > 0) {
      return ['warn', 'TRUST_PROXY is set without PUBLIC_URL; set PUBLIC_URL to the https address of your proxy'];
    }
    return isLoopbackHost(HOST)
      ? ['ok', 'PUBLIC_URL is not set: for callers and game servers on this machine only']
      : ['warn', 'PUBLIC_URL is not set; set it to the address that game servers use'];
  }
  if (!PUBLIC_URL.startsWith('https:'))
    return ['warn', 'PUBLIC_URL has no TLS: keys and tokens can be read on the way'];
  if (TRUST_PROXY === 0) return ['fail', 'TRUST_PROXY is 0 behind TLS; set it to the number of your proxies'];
  return ['ok', `PUBLIC_URL has TLS, behind ${TRUST_PROXY} of your proxies`];
};

export const checkTls = async ({ config: { PUBLIC_URL } }: Parts): Promise<Said> => {
  if (PUBLIC_URL === undefined) return ['ok', 'no PUBLIC_URL to look at'];
  const found = await readyAt(PUBLIC_URL);
  const seen = `seen from this machine, ${PUBLIC_URL}`;
  if (found === 'ready') return ['ok', `${seen} leads to a ready hub`];
  return ['fail', `${seen} answers ${found}; check DNS, certificate and proxy`];
};

/** The first line of a NATS server tells what it is. */
const greeting = (host: string, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    socket.setTimeout(DEADLINE_MS, () => socket.destroy(new Error('late')));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString('latin1').slice(0, 5));
    });
    socket.once('error', reject);
  });

export const checkNats = async ({ config: { NATS_URL } }: Parts): Promise<Said> => {
  if (NATS_URL === undefined) return ['ok', 'not used: this hub is alone'];
  const bad: string[] = [];
  for (const address of NATS_URL.split(',')) {
    const { hostname, port } = new URL(address.trim());
    const said = await greeting(hostname, Number(port === '' ? 4222 : port)).catch(() => '');
    if (said !== 'INFO ') bad.push(`${hostname}:${port === '' ? 4222 : port}`);
  }
  return bad.length === 0 ? ['ok', 'every server answers'] : ['fail', `no NATS server answers at ${bad.join(', ')}`];
};
