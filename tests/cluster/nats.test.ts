import { describe, expect, it, onTestFinished } from 'vitest';
import { openNatsServer } from '../../chaos/cluster/nodes.ts';
import type { BusMessage, Handlers } from '../../server/cluster/bus.ts';
import { connectNats } from '../../server/cluster/bus-nats.ts';
import { freePort } from '../kit/free-port.ts';
import { silentLog } from '../kit/silent-log.ts';
import { natsUrl } from './cluster.ts';

const PASSWORD = 's@cret/1';
const FORGET: BusMessage = { type: 'forget' };

/** A server with authentication; its address for this user. */
const startServer = async (...args: string[]) => {
  const port = await freePort();
  const server = await openNatsServer(port, args);
  onTestFinished(() => server.end('SIGKILL'));
  return (who: string, scheme = 'nats'): string => `${scheme}://${who}127.0.0.1:${port}`;
};

const open = async (url: string, cluster = 'one') => {
  const bus = await connectNats({ url, cluster, name: 'test', log: silentLog() });
  onTestFinished(bus.close);
  return bus;
};

describe.runIf(natsUrl !== undefined)('a NATS server', () => {
  it('takes the user and the password of NATS_URL, and a refusal tells neither', async () => {
    const urlFor = await startServer('--user', 'hub', '--pass', PASSWORD);
    const bus = await open(urlFor(`hub:${encodeURIComponent(PASSWORD)}@`));
    expect(await bus.ask('absent', FORGET, 1_000)).toBe('no_responders');
    for (const who of ['', `hub:${PASSWORD.length}@`]) {
      const refused = await open(urlFor(who)).catch((error: Error) => error.message);
      expect(refused).toMatch(/authorization violation/i);
      expect(refused).not.toContain('hub');
    }
  });

  it('takes a token', async () => {
    const urlFor = await startServer('--auth', 'token-1');
    expect(await (await open(urlFor('token-1@'))).ask('absent', FORGET, 1_000)).toBe('no_responders');
  });

  it('is refused where tls:// is asked for and it has none', async () => {
    const urlFor = await startServer();
    await expect(open(urlFor('', 'tls'))).rejects.toThrow(/tls/i);
  });

  it('keeps two clusters apart, though their nodes have the same names', async () => {
    const url = (await startServer())('');
    const heard: string[] = [];
    const join = async (cluster: string, node: string) => {
      const bus = await open(url, cluster);
      const note = (): number => heard.push(`${cluster} ${node}`);
      bus.listen(node, { handlers: { forget: note } as unknown as Handlers, lost: () => undefined });
      return bus;
    };
    const a = await join('one', 'a');
    await join('one', 'b');
    const there = await join('two', 'b');
    await expect
      .poll(() => {
        a.spread(FORGET);
        a.tell('b', FORGET);
        return heard.length;
      })
      .toBeGreaterThan(2);
    // Every earlier message to it has arrived before this answer.
    expect(await there.ask('absent', FORGET, 1_000)).toBe('no_responders');
    expect(new Set(heard)).toEqual(new Set(['one b']));
  });
});
