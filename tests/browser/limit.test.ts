import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { ANA, order, phase, playerPath, startStage } from '../kit/panel-stage.ts';

const { enter, signIn, visit } = openBrowser();
const SHOTS = process.env['CAUSEWAY_SHOTS'];
const refusal = (retryAfter: string) => ({
  status: 429,
  contentType: 'application/problem+json',
  headers: { 'Retry-After': retryAfter },
  body: JSON.stringify({ code: 'rate_limited', status: 429, detail: '', requestId: 'req_1', executed: 'no' }),
});

describe('an action that the limit of requests refuses', () => {
  it('counts down, goes by itself, and is done once', async () => {
    const { hub, economy } = await startStage();
    const { page, expecting } = await enter(hub, playerPath(ANA));
    expecting(/status of 429/);
    const answers = [refusal('2')];
    await page.route('**/api/v2/bridge/main/money', (route) => {
      const answer = answers.shift();
      return answer === undefined ? route.continue() : route.fulfill(answer);
    });
    await order(page, 'Give money', '7');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Give / })
      .click();
    await page.getByText(/^in \d s\.$/).waitFor();
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/limit.png` });
    await phase(page, 'done').waitFor();
    expect(await page.getByText('Yours goes by itself').count()).toBe(0);
    expect(economy.applied).toHaveLength(1);
  });

  it('is not sent when the user gives it up, a sign-in, too', async () => {
    const { hub } = await startStage();
    const { page, expecting } = await visit(hub);
    expecting(/status of 429/);
    await page.route('**/api/v2/panel/session', (route) => route.fulfill(refusal('600')));
    await page.getByLabel('API key').fill(hub.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Yours goes by itself').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Do not send it' }).click();
    await page.getByText('Too many attempts.').waitFor();
    await page.unrouteAll();
    await signIn(page, hub.key);
  });
});

describe('the page of the project', () => {
  it('tells the minute of keys and that of people, and turns red when one is used up', async () => {
    const { hub } = await startStage({ rateLimit: 300 });
    const { page } = await enter(hub, '/project');
    await page.getByText(/^0 of 20: kicks/).waitFor();
    for (let left = 1; left > 0; ) {
      const { status, headers } = await hub.request('/api/v2/players');
      left = status === 429 ? 0 : Number(headers.get('x-ratelimit-remaining'));
    }
    await page.reload();
    await page.getByText(/^300 of 300\. .*Used up: the next one goes in \d+ s\.$/).waitFor();
    const colour = await page.evaluate('getComputedStyle(document.querySelector("span.full")).color');
    expect(colour).toBe('rgb(184, 38, 42)');
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/project.png` });
  });
});
