import type { Attack } from '../report.ts';
import { dial } from '../stage.ts';

const SERVERS = 105;
const KEYS = 1_200;
const SIGNED_IN = 20;
const FOR_MS = 10_000;

/** One key creates servers until all bridge places of the hub are taken, and keys without end. */
export const places: Attack = {
  name: 'places',
  options: { env: { MAX_BRIDGES: '104', ADMISSIONS_PER_SECOND: '1000' }, tuning: { connectsPerMinute: 1_000 } },
  play: async ({ url, caller, spareToken, attacker }) => {
    const tokens = [attacker.token];
    for (let n = 0; n < SERVERS; n += 1) {
      const made = await caller.ask('POST', '/api/v2/servers', { serverId: `s${n}` });
      if (made.status === 201 && made.body.token !== undefined) tokens.push(made.body.token);
    }
    const bridges = tokens.map((token, n) => dial(url, token, { journal: `a${n}` }));
    const open = (await Promise.all(bridges.map(({ welcomed }) => welcomed))).filter(({ status }) => status === 101);
    const neighbour = dial(url, spareToken, { journal: 'spare' });
    const { status } = await neighbour.welcomed;
    let keys = 0;
    for (let n = 0; n < KEYS; n += 1) {
      const made = await caller.ask('POST', '/api/v2/keys', { name: `k${n}`, scopes: ['players:read'] });
      if (made.status === 201) keys += 1;
    }
    const list = (await caller.text('/api/v2/keys')).length / 1_024;
    for (const { socket } of [...bridges, neighbour]) socket.terminate();
    return (
      `${tokens.length} servers, ${open.length} bridges, ${keys} keys (list ${list.toFixed(0)} KiB); ` +
      `a bridge of the neighbour got ${status}`
    );
  },
};

/** A project with 100 requests per minute signs in twenty keys and pays with their cookies. */
export const panelMinute: Attack = {
  name: 'panel-minute',
  options: { rateLimit: 100 },
  play: async ({ url, caller, attacker, port }) => {
    const bridge = dial(url, attacker.token);
    let balance = 0;
    bridge.socket.on('message', (data) => {
      const frame: { type: string; id: string } = JSON.parse(data.toString());
      if (frame.type !== 'command') return;
      balance += 1;
      const paid = { account: 'bank', before: balance - 1, after: balance };
      bridge.say({ type: 'result', id: frame.id, status: 'done', data: paid, sequence: balance });
    });
    await bridge.welcomed;
    const address = `http://127.0.0.1:${port}`;
    const cookies: string[] = [];
    for (let n = 0; n < SIGNED_IN; n += 1) {
      const made = await caller.ask('POST', '/api/v2/keys', { name: `k${n}`, scopes: ['commands:money'] });
      const key = (made.body as { key?: string }).key;
      if (key === undefined) continue;
      const headers = { 'X-API-Key': key, Origin: address };
      const signedIn = await fetch(`${address}/api/v2/panel/session`, { method: 'POST', headers });
      const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0];
      if (cookie !== undefined) cookies.push(cookie);
    }
    const until = performance.now() + FOR_MS;
    let paid = 0;
    const spend = async (cookie: string): Promise<void> => {
      while (performance.now() < until) {
        const answer = await fetch(`${address}/api/v2/bridge/main/money`, {
          method: 'POST',
          headers: { Cookie: cookie, Origin: address, 'Content-Type': 'application/json' },
          body: JSON.stringify({ target: 'char1:ana', type: 'bank', amount: 1, action: 'add' }),
        });
        await answer.arrayBuffer();
        if (answer.status === 429) return;
        if (answer.status === 200) paid += 1;
      }
    };
    await Promise.all(cookies.map(spend));
    bridge.socket.terminate();
    return `${paid} payments by ${cookies.length} cookies in a minute of 100 requests`;
  },
};
