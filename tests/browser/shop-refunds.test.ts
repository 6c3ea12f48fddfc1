import { describe, expect, it } from 'vitest';
import { openBrowser } from '../kit/browser.ts';
import { startHub } from '../kit/hub.ts';
import { ANA } from '../kit/panel-stage.ts';
import { answerAll, playerFrame, welcomeRaw } from '../kit/raw-bridge.ts';
import { becomes, connectShop } from '../kit/shop.ts';

const { enter } = openBrowser();

const BOB = 'char1:bob';
const POLICE = { name: 'job', params: { job: 'police', grade: 3 } };

describe('the refund of a job', () => {
  it('that cannot be set back says why, about the former job and not about the bought one', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: ['job@1'] });
    answerAll(bridge, ({ params }) =>
      params['job'] === 'police'
        ? { status: 'done', data: { before: { job: 'chef', grade: 0 }, after: { job: 'police', grade: 3 } } }
        : { status: 'rejected', error: { code: 'unknown_job', message: 'This server has no job "chef".' } },
    );
    // Ana has found another job since.
    const jobs = { [ANA]: { job: 'taxi', jobGrade: 0 }, [BOB]: { job: 'police', jobGrade: 3 } };
    const players = Object.entries(jobs).map(([identifier, metadata]) => playerFrame(identifier, { metadata }));
    bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players });
    await expect.poll(async () => (await hub.request('/api/v2/players')).body['data']).toHaveLength(2);
    const shop = await connectShop(hub, 'orders', { job: [POLICE] });
    for (const buyer of [ANA, BOB]) {
      const order = { id: buyer, type: 'paid', buyer, packages: [{ id: 'job' }] };
      expect((await shop.send(order)).status).toBe(200);
      await becomes(hub, shop, buyer, ['delivered']);
      expect((await shop.send({ ...order, type: 'refunded' })).status).toBe(200);
      await becomes(hub, shop, buyer, ['owed']);
    }
    const { page } = await enter(hub, `/shops/${shop.id}`);
    await page.getByText('It was refunded, but the player has another job by now.').waitFor();
    await page
      .getByText('It was refunded, but the former job could not be set. This server has no such job.')
      .waitFor();
    const [line = ''] = await page.getByText('Bought by').allTextContents();
    expect(line.replaceAll(/[\u2068\u2069]/g, '')).toBe(`Bought by ${ANA}.`);
    const [what = ''] = await page.locator('.card .card').getByText('Set job').allTextContents();
    expect(what.replaceAll(/[\u2068\u2069]/g, '')).toBe('Set job police, grade 3');
  });
});
