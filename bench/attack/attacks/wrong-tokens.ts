import type { Attack } from '../report.ts';
import { dial } from '../stage.ts';

const WRONG = 200;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';

/** Well-formed unknown tokens from the address of valid bridges; then a valid bridge reconnects. */
export const wrongTokens: Attack = {
  name: 'wrong-tokens',
  options: { tuning: { connectsPerMinute: 1_000 } },
  play: async ({ url, attacker, spareToken }) => {
    const first = dial(url, attacker.token);
    const before = (await first.welcomed).status;
    first.socket.terminate();
    const statuses = new Map<number, number>();
    for (let n = 0; n < WRONG; n += 1) {
      const letters = Array.from({ length: 38 }, (_, i) => ALPHABET[(n * 7 + i * 3) % ALPHABET.length]).join('');
      const wrong = dial(url, `cwb_${letters}`);
      const { status } = await wrong.welcomed;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    const again = dial(url, attacker.token);
    const fresh = dial(url, spareToken, { journal: 'spare' });
    const [known, unknown] = [(await again.welcomed).status, (await fresh.welcomed).status];
    for (const { socket } of [again, fresh]) socket.terminate();
    const refused = [...statuses].map(([status, times]) => `${times} × ${status}`).join(', ');
    return `wrong tokens ${refused}; a bridge known before ${before} → ${known}, one that is new ${unknown}`;
  },
};
