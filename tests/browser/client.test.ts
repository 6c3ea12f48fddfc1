import { describe, expect, it } from 'vitest';
import { openBrowser } from '../kit/browser.ts';
import { bundledClient } from '../kit/client-package.ts';
import { SEEN, scenarioOf } from '../kit/client-scenario.ts';
import { openStage, PAY } from '../kit/stage.ts';

const { enter } = openBrowser();

describe('the client in a page of the hub', () => {
  it('does the same as under Node.js, with the cookie of the page', async () => {
    const stage = await openStage();
    const { page, expecting } = await enter(stage.hub(), '/players');
    // Answers 404 and 409, and what the page may not ask for.
    expecting(/status of (404|409)|127\.0\.0\.1:1\//);
    const contentType = 'text/javascript';
    await page.route('**/client.js', (route) => route.fulfill({ contentType, body: bundledClient('index') }));
    await page.route('**/scenario.js', (route) => route.fulfill({ contentType, body: scenarioOf('/client.js') }));
    const seen = await page.evaluate("import('/scenario.js').then(({ play }) => play(location.origin))");
    expect({ seen, bank: stage.bank() }).toEqual({ seen: SEEN, bank: 2 * PAY });
  });
});
