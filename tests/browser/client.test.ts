import { describe, expect, it } from 'vitest';
import { openBrowser } from '../kit/browser.ts';
import { bundledClient } from '../kit/client-package.ts';
import { ANA, openStage, PAY } from '../kit/stage.ts';

const { enter } = openBrowser();

/** As a script of the page does it. */
const SCENARIO = `(async () => {
  const { createHub, HubProblem } = await import('/client.js');
  const hub = createHub({ url: location.origin });
  const payment = { serverId: 'main', target: '${ANA}', type: 'bank', amount: ${PAY}, action: 'add', key: 'order-1' };
  const words = [];
  words.push((await hub.money(payment)).happened, (await hub.money(payment)).happened);
  words.push((await hub.money({ ...payment, action: 'remove', amount: 500, key: 'fine-1' })).reason);
  const thrown = await hub.kick({ serverId: 'nowhere', target: 'x' }).catch((error) => error);
  words.push(thrown instanceof HubProblem && thrown.code);
  const onOpen = () => void hub.money({ ...payment, key: 'order-2' });
  for await (const event of hub.events({ onOpen })) {
    if (event.type !== 'command.settled') continue;
    words.push(event.data.status);
    break;
  }
  return words;
})()`;

describe('the client in a page of the hub', () => {
  it('pays with the cookie of the page, and says what happened', async () => {
    const stage = await openStage();
    const { page, expecting } = await enter(stage.hub(), '/players');
    expecting(/status of (404|409)/);
    const script = { contentType: 'text/javascript', body: bundledClient('index') };
    await page.route('**/client.js', (route) => route.fulfill(script));
    const said = await page.evaluate(SCENARIO);
    expect(said).toEqual(['yes', 'yes', 'insufficient_funds', 'server_not_found', 'succeeded']);
    expect(stage.bank()).toBe(2 * PAY);
  });
});
