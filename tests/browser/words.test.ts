import { expect, it } from 'vitest';
import { openBrowser } from '../kit/browser.ts';
import { insertCommand } from '../kit/journal.ts';
import { en } from '../kit/messages.ts';
import { panelPages, startBusyStage } from '../kit/panel-pages.ts';

const { visit } = openBrowser();

const ENGLISH = 'Something in English.';
/** Sentences of the English panel: no page of another language has one. */
const sentences = Object.values(en).filter((text) => !text.includes('{') && text.trim().split(' ').length > 2);

it.each([
  ['de-DE', 'Der Hub meldet: '],
  ['pt-BR', 'O hub informa: '],
])('a page in %s has no English sentence, but what the hub says, named as that', async (locale, named) => {
  const { hub } = await startBusyStage();
  const { page } = await visit(hub, '/', { locale });
  await page.getByLabel(/API/).fill(hub.key);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation').waitFor();
  const textOf = async (path: string, ready: string): Promise<string> => {
    await page.goto(hub.address + path);
    await page.locator(ready).first().waitFor();
    return page.evaluate<string>('document.body.innerText');
  };
  for (const { name, path, ready } of await panelPages(hub)) {
    const text = await textOf(path, ready);
    expect([name, sentences.filter((sentence) => text.includes(sentence))]).toEqual([name, []]);
  }
  const errorOf = async (code: string): Promise<string> => {
    const id = await insertCommand(hub, { status: 'failed', error: { code, message: ENGLISH } });
    return textOf(`/journal/${id}`, '.timeline li');
  };
  for (const code of ['bridge_error', 'bridge_timeout', 'indeterminate', 'unsupported']) {
    expect(await errorOf(code)).not.toContain(ENGLISH);
  }
  expect(await errorOf('made_up')).toContain(named + ENGLISH);
});
