import { expect, it } from 'vitest';
import { readWish, type Verb } from '../../panel/src/palette/wish.ts';

const words = new Map<string, Verb>([
  ['give', 'give'],
  ['gib', 'give'],
  ['take', 'take'],
  ['kick', 'kick'],
]);
const read = (typed: string) => readWish(typed, { words, accounts: new Set(['bank', 'cash']), locale: 'en' });

it.each([
  ['ana', { text: 'ana' }],
  ['  Ana  Brandão ', { text: 'Ana  Brandão' }],
  ['give 500 ana', { verb: 'give', amount: '500', text: 'ana' }],
  ['Gib 1,500 cash ana maria', { verb: 'give', amount: '1,500', account: 'cash', text: 'ana maria' }],
  ['take ana 20', { verb: 'take', amount: '20', text: 'ana' }],
  // A player may be called like an account, and a number that is no amount belongs to the name.
  ['give 500 Cash', { verb: 'give', amount: '500', text: 'Cash' }],
  ['give 1.5 ana', { verb: 'give', text: '1.5 ana' }],
  ['kick 500 ana', { verb: 'kick', text: '500 ana' }],
  ['give', { verb: 'give', text: '' }],
  ['giveaway', { text: 'giveaway' }],
])('the palette reads "%s"', (typed, wish) => {
  expect(read(typed)).toEqual(wish);
});
