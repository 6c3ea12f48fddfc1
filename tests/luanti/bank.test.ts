import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join as pathOf } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../kit/until.ts';
import { openStage } from './stage.ts';

const JOURNAL = 'causeway/journal.jsonl';

/** Writes a bank that was used before: Ana holds 500. */
const writeBank =
  (torn = '') =>
  (world: string): void => {
    mkdirSync(pathOf(world, 'causeway'));
    const header = { op: 'journal', version: 1, id: '0123456789abcdef', sequence: 7, ledger: true };
    const balance = { op: 'balance', identifier: 'ana', account: 'bank', balance: 500 };
    writeFileSync(pathOf(world, JOURNAL), `${JSON.stringify(header)}\n${JSON.stringify(balance)}\n${torn}`);
  };

it('pays players who are there, players who are away, and no player that it never saw', async () => {
  const { connected, join, leave, pay, listed, read, info, server } = await openStage();
  await connected();
  expect(await info()).toMatchObject({ bridge: { journalClass: 'atomic', accounts: ['bank'] } });
  expect(await pay('ana', 500)).toMatchObject({ status: 404, body: { code: 'player_not_found' } });
  const ana = await join('ana');
  await until(async () => (await listed()).length === 1, 'Ana is listed');
  expect(await pay('ana', 500)).toMatchObject({
    status: 200,
    body: { result: { account: 'bank', before: 0, after: 500 } },
  });
  await until(async () => (await listed())[0]?.accounts['bank'] === 500, 'the balance is listed', { withinMs: 4_000 });
  await leave('ana', ana);
  expect(await pay('ana', -200)).toMatchObject({ status: 200, body: { result: { before: 500, after: 300 } } });
  expect(await pay('ana', -301)).toMatchObject({ status: 409, body: { code: 'insufficient_funds', balance: 300 } });
  expect(await pay('ana', -301, { allowNegative: true })).toMatchObject({ body: { result: { after: -1 } } });
  expect(await read('ana')).toMatchObject({ online: false, accounts: { bank: -1 } });
  expect(await server.run("return causeway.balance('ana')")).toBe(-1);
  expect((await listed()).map(({ name }) => name)).toEqual(['ana']);
  // A killed server comes back with the content of the file.
  await server.kill();
  await server.start();
  await connected();
  expect(await read('ana')).toMatchObject({ accounts: { bank: -1 } });
  expect(readFileSync(pathOf(server.world, JOURNAL), 'utf8')).toContain('ana');
});

it('reports a player that only the bank knows, because a crash came before the engine saved them', async () => {
  const { connected, listed, pay, read } = await openStage({ prepare: writeBank() });
  await connected();
  await until(async () => (await listed()).length === 1, 'Ana is listed');
  expect(await listed()).toMatchObject([{ name: 'ana', online: false, accounts: { bank: 500 } }]);
  expect(await pay('ana', -500)).toMatchObject({ status: 200, body: { result: { before: 500, after: 0 } } });
  expect(await read('ana')).toMatchObject({ online: false, accounts: { bank: 0 } });
  expect(await pay('ana', 1)).toMatchObject({ status: 200, body: { result: { before: 0, after: 1 } } });
});

it('starts without trust, does not connect, and says what to do', async () => {
  const { server, info, admin } = await openStage({ isTrusted: false });
  const said = await admin('');
  expect(said).toContain('Add "causeway" to secure.trusted_mods in minetest.conf');
  expect(said).toContain('class volatile');
  expect(server.log.join('\n')).toContain('[causeway] The mod may not open sockets.');
  expect(await info()).toMatchObject({ connected: false });
});

it('leaves the file of the bank alone without trust, even if its last line is torn', async () => {
  const torn = '{"op":"entry","id":"cmd_1';
  const { server } = await openStage({ isTrusted: false, prepare: writeBank(torn) });
  expect(await server.run("return { causeway.balance('ana') == nil }")).toEqual([true]);
  await server.stop();
  expect(readFileSync(pathOf(server.world, JOURNAL), 'utf8').endsWith(torn)).toBe(true);
  expect(existsSync(pathOf(server.world, `${JOURNAL}.new`))).toBe(false);
});
