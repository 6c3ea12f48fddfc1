import { describe, expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { helloFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { openTcp, upgradeRequest, wireMessage } from '../../kit/raw-tcp.ts';

/** A request of nearly 8 KiB. */
const LARGE = `GET /livez HTTP/1.1\r\nHost: hub\r\nX-Padding: ${'x'.repeat(7_900)}\r\n\r\n`;

const answersIn = (text: string): number => text.split('HTTP/1.1 200').length - 1;

describe('what a connection sends', () => {
  it('is the bridge’s behind its upgrade, however much came with it', async () => {
    const hub = await startHub();
    const tcp = openTcp(hub.port);
    const padded = { type: 'mystery', padding: 'x'.repeat(20_000) };
    tcp.send(
      Buffer.concat([
        Buffer.from(upgradeRequest({ token: hub.token, headers: [`X-Padding: ${'x'.repeat(3_000)}`] })),
        wireMessage(helloFrame()),
        wireMessage(padded),
        wireMessage(padded),
      ]),
    );
    await tcp.reads('"type":"welcome"');
    await expect.poll(() => tcp.text().split('"code":"unsupported"').length - 1).toBe(2);
  });

  it('is the request’s body behind an offer that is not taken, and nothing more', async () => {
    const hub = await startHub();
    const tcp = openTcp(hub.port);
    const body = JSON.stringify({ name: 'x'.repeat(6_000) });
    const headers = [`X-API-Key: ${hub.key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`];
    const offer = ['Connection: Upgrade', 'Upgrade: h2c'];
    tcp.send(
      ['POST /api/v2/servers HTTP/1.1', 'Host: hub', ...offer, ...headers, '', body].join('\r\n') + LARGE.repeat(4),
    );
    await tcp.ended();
    expect(tcp.text()).toContain('HTTP/1.1 422');
    expect(answersIn(tcp.text())).toBe(0);
  });

  it('is nothing behind a payment that offers another protocol, also when it comes later', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const tcp = openTcp(hub.port);
    const payment = (target: string): string => {
      const body = JSON.stringify({ target, type: 'bank', amount: 5, action: 'add' });
      const headers = [`X-API-Key: ${hub.key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`];
      const offer = ['Connection: Upgrade', 'Upgrade: h2c'];
      return ['POST /api/v2/bridge/main/money HTTP/1.1', 'Host: hub', ...offer, ...headers, '', body].join('\r\n');
    };
    tcp.send(payment('char1:ana'));
    const command = await bridge.command();
    tcp.send(payment('char1:bob'));
    expect((await hub.request('/api/v2/health')).status).toBe(200);
    bridge.send({ type: 'result', id: command.id, status: 'done', data: { account: 'bank', before: 0, after: 5 } });
    await tcp.ended();
    expect(tcp.text().match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200']);
    expect((await hub.request('/api/v2/commands')).body['data']).toMatchObject([{ target: 'char1:ana' }]);
  });

  it('is refused in its turn: the refusal of a truncated request is not read as the answer of a payment', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const tcp = openTcp(hub.port);
    const body = JSON.stringify({ target: 'char1:ana', type: 'bank', amount: 5, action: 'add' });
    const headers = [`X-API-Key: ${hub.key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`];
    const payment = ['POST /api/v2/bridge/main/money HTTP/1.1', 'Host: hub', ...headers, '', body].join('\r\n');
    tcp.send(`${payment}POST /api/v2/servers HTTP/1.1\r\nHost: hub\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`);
    const command = await bridge.command();
    expect((await hub.request('/api/v2/health')).status).toBe(200);
    bridge.send({ type: 'result', id: command.id, status: 'done', data: { account: 'bank', before: 0, after: 5 } });
    await tcp.ended();
    expect(tcp.text().match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });

  it('is answered up to where it is no request any more', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const tcp = openTcp(hub.port);
    const body = JSON.stringify({ target: 'char1:ana' });
    const headers = [`X-API-Key: ${hub.key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`];
    const kick = ['POST /api/v2/bridge/main/kick HTTP/1.1', 'Host: hub', ...headers, '', body].join('\r\n');
    tcp.send(`${kick}GET /livez HTTP/1.1\r\nHost: hub\r\n\r\nnonsense\r\n\r\n`);
    const command = await bridge.command();
    bridge.send({ type: 'result', id: command.id, status: 'done', data: { kicked: true } });
    await tcp.ended();
    expect([...tcp.text().matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)).toEqual(['200', '200', '400']);
    expect(tcp.text()).toContain('"kicked":true');
  });

  it('is refused when it never was a request, or has headers over 8 KiB', async () => {
    const hub = await startHub();
    for (const [bytes, status] of [
      ['nonsense\r\n\r\n', 400],
      [`GET /livez HTTP/1.1\r\nHost: hub\r\nX-Long: ${'x'.repeat(9_000)}\r\n\r\n`, 431],
      ['POST /api/v2/servers HTTP/1.1\r\nHost: hub\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 400],
    ] as const) {
      const tcp = openTcp(hub.port);
      tcp.send(bytes);
      await tcp.ended();
      expect(tcp.text()).toContain(`HTTP/1.1 ${status} `);
    }
  });
});
