import { describe, expect, it } from 'vitest';
import type * as Client from '../../clients/typescript/index.ts';
import { openBrowser } from '../kit/browser.ts';
import { bundledClient } from '../kit/client-package.ts';
import { ANA, openStage, PAY } from '../kit/stage.ts';

const { enter } = openBrowser();

describe('the client in a page of the hub', () => {
  it('pays with the cookie of the page, and says what happened', async () => {
    const stage = await openStage();
    const { page, expecting } = await enter(stage.hub(), '/players');
    expecting(/status of (404|409)/);
    await page.route('**/client.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: bundledClient('index') }),
    );
    const said = await page.evaluate(async ({ target, url }) => {
      const file: string = '/client.js';
      const { createHub, HubProblem }: typeof Client = await import(file);
      const hub = createHub({ url });
      const payment = { serverId: 'main', target, type: 'bank', amount: 100, action: 'add', key: 'order-1' } as const;
      const words: unknown[] = [];
      words.push((await hub.money(payment)).happened, (await hub.money(payment)).happened);
      words.push((await hub.money({ ...payment, action: 'remove', amount: 500, key: 'fine-1' })).reason);
      const thrown = await hub.kick({ serverId: 'nowhere', target }).catch((error: unknown) => error);
      words.push(thrown instanceof HubProblem && thrown.code);
      const onOpen = (): void => void hub.money({ ...payment, key: 'order-2' });
      for await (const event of hub.events({ onOpen })) {
        if (event.type !== 'command.settled') continue;
        words.push(event.data.status);
        break;
      }
      return words;
    }, { target: ANA, url: stage.hub().address });
    expect(said).toEqual(['yes', 'yes', 'insufficient_funds', 'server_not_found', 'succeeded']);
    expect(stage.bank()).toBe(2 * PAY);
  });
});
