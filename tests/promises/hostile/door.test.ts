import { describe, expect, it } from 'vitest';
import { newSecret } from '../../../server/auth/credentials.ts';
import { openArena } from '../../kit/arena.ts';
import { shareHub } from '../../kit/hub.ts';
import { helloFrame } from '../../kit/raw-bridge.ts';
import { answerTo, openTcp, upgradeRequest, wireMessage } from '../../kit/raw-tcp.ts';

const newTenant = shareHub();
const newArena = () => openArena({}, newTenant);

const basic = 'Authorization: Basic YTpi';

describe('the door for bridges', () => {
  it.each([
    ['no subprotocol', 400, 'unsupported_protocol', { without: ['Sec-WebSocket-Protocol'] }],
    [
      'an empty subprotocol',
      400,
      'unsupported_protocol',
      { without: ['Sec-WebSocket-Protocol'], headers: ['Sec-WebSocket-Protocol:'] },
    ],
    [
      'another subprotocol',
      400,
      'unsupported_protocol',
      { without: ['Sec-WebSocket-Protocol'], headers: ['Sec-WebSocket-Protocol: causeway.v2'] },
    ],
    ['no token', 401, 'invalid_token', { token: null }],
    ['a malformed token', 401, 'invalid_token', { token: 'cwb_short' }],
    ['a token with a wrong checksum', 401, 'invalid_token', { token: `${newSecret('bridge_token').slice(0, -1)}~` }],
    ['a well-formed unknown token', 401, 'invalid_token', { token: newSecret('bridge_token') }],
    ['an API key', 401, 'invalid_token', { token: newSecret('api_key') }],
    ['another scheme', 401, 'invalid_token', { token: null, headers: [basic] }],
    [
      'a token in the address',
      401,
      'invalid_token',
      { token: null, path: `/bridge?token=${newSecret('bridge_token')}` },
    ],
    ['an Origin header', 403, 'origin_not_allowed', { headers: ['Origin: http://hub'] }],
    ['the origin null', 403, 'origin_not_allowed', { headers: ['Origin: null'] }],
    ['a longer path', 404, 'not_found', { path: '/bridge/main' }],
    ['a doubled slash', 404, 'not_found', { path: '//bridge' }],
    ['an absolute address', 404, 'not_found', { path: 'http://other/bridge' }],
  ])('refuses %s: %i %s', async (_name, status, code, changes) => {
    const { hub, during } = await newArena();
    await during(async () => {
      const answer = await answerTo(hub.port, upgradeRequest({ token: hub.token, ...changes }));
      expect(answer).toMatchObject({ status, problem: { status, code } });
      if (status === 400) expect(answer.problem['supported']).toEqual(['causeway.v1']);
      if (status === 401) expect(answer.head).toContain('WWW-Authenticate: Bearer');
      expect(hub.sizes().connections).toBe(1);
    });
  });

  it.each([
    ['another method', 405, { method: 'POST' }],
    ['no key', 400, { without: ['Sec-WebSocket-Key'] }],
    ['an old version', 400, { without: ['Sec-WebSocket-Version'], headers: ['Sec-WebSocket-Version: 7'] }],
    ['a repeated subprotocol', 400, { headers: ['Sec-WebSocket-Protocol: causeway.v1'] }],
  ])('refuses a handshake with %s: %i', async (_name, status, changes) => {
    const { hub, during } = await newArena();
    await during(async () => {
      expect((await answerTo(hub.port, upgradeRequest({ token: hub.token, ...changes }))).status).toBe(status);
    });
  });

  it('answers a plain request to /bridge like any unknown path', async () => {
    const { hub, during } = await newArena();
    await during(async () => {
      const answer = await fetch(`${hub.address}/bridge`, {
        headers: { Authorization: `Bearer ${hub.token}` },
      });
      expect(answer.status).toBe(404);
    });
  });

  it('refuses a disabled server: 403', async () => {
    const { hub, during } = await newArena();
    await hub.request('/api/v2/servers/main', { method: 'PATCH', json: { disabled: true } });
    await during(async () => {
      const answer = await answerTo(hub.port, upgradeRequest({ token: hub.token }));
      expect(answer).toMatchObject({ status: 403, problem: { code: 'server_disabled' } });
      expect(answer.head).toMatch(/\r\nRetry-After: 20$/m);
    });
  });

  it('refuses more bridges than it may hold: 503 with Retry-After', async () => {
    const { hub, during } = await openArena({ env: { MAX_BRIDGES: '1' } });
    await during(async () => {
      const { status, head, problem } = await answerTo(hub.port, upgradeRequest({ token: hub.token }));
      expect([status, problem['code']]).toEqual([503, 'node_full']);
      expect(head).toMatch(/\r\nRetry-After: \d+/);
    });
  });

  it('refuses more bridges in one second than it may: 503 with Retry-After', async () => {
    const { hub, during } = await openArena({ env: { ADMISSIONS_PER_SECOND: '1' } });
    await during(async () => {
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => answerTo(hub.port, upgradeRequest({ token: hub.token }))),
      );
      const refused = answers.filter(({ status }) => status === 503);
      expect(refused.length).toBeGreaterThanOrEqual(3);
      for (const { head, problem } of refused) {
        expect(problem['code']).toBe('node_full');
        expect(head).toMatch(/\r\nRetry-After: [1-9]/);
      }
    });
  });

  it('does not let strangers use up the admissions of bridges', async () => {
    const { hub, during } = await openArena({ env: { ADMISSIONS_PER_SECOND: '5' } });
    await during(async () => {
      const stranger = upgradeRequest({ token: newSecret('bridge_token') });
      const answers = await Promise.all(Array.from({ length: 40 }, () => answerTo(hub.port, stranger)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
      expect((await answerTo(hub.port, upgradeRequest({ token: hub.token }))).status).toBe(101);
    });
  });

  it('refuses a server that connects too often: 429 with Retry-After', async () => {
    const { hub, during } = await openArena({ tuning: { connectsPerMinute: 2 } });
    await during(async () => {
      const request = upgradeRequest({ token: hub.token });
      expect((await answerTo(hub.port, request)).status).toBe(101);
      expect((await answerTo(hub.port, request)).status).toBe(101);
      const { status, head, problem } = await answerTo(hub.port, request);
      expect([status, problem['code']]).toEqual([429, 'rate_limited']);
      expect(head).toMatch(/\r\nRetry-After: \d+/);
    });
  });

  it('does not keep a refused socket whose other end never closes', async () => {
    const { hub, during } = await newArena();
    await during(async () => {
      const tcp = openTcp(hub.port);
      tcp.send(upgradeRequest({}));
      await tcp.ended();
      const nagging = setInterval(() => tcp.send('still here'), 5);
      await tcp.closed().finally(() => clearInterval(nagging));
    });
  });

  it('survives 200 resets, at every stage of the handshake', async () => {
    const { hub, during } = await newArena();
    const whole = Buffer.concat([
      Buffer.from(upgradeRequest({ token: hub.token })),
      wireMessage(helloFrame({ instance: 'one' })),
    ]);
    const cutAfter = (length: number): Promise<void> => {
      const tcp = openTcp(hub.port);
      return new Promise((resolve) => {
        tcp.socket.once('close', () => resolve());
        tcp.socket.write(whole.subarray(0, length), () => tcp.reset());
      });
    };
    await during(async () => {
      for (let n = 0; n < 200; n += 10) {
        const lengths = Array.from({ length: 10 }, (_, more) => Math.ceil(((n + more + 1) / 200) * whole.length));
        await Promise.all(lengths.map(cutAfter));
      }
      await expect.poll(() => hub.sizes()).toMatchObject({ connections: 1, sessions: 1 });
    });
  });
});
