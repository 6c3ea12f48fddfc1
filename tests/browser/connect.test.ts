import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { newFolder } from '../kit/folder.ts';
import { startHub } from '../kit/hub.ts';
import { onPostgres } from '../kit/hub-database.ts';

const { enter } = openBrowser();

describe('the page that connects a server of another machine', () => {
  const PLACE = 'Where does the game server run?';

  it('says that the hub listens on its own machine only, and that an address has no path', async () => {
    const hub = await startHub();
    const { page } = await enter(hub, '/servers/main/connect');
    await page.getByLabel(PLACE).selectOption('On the machine of the hub');
    await page.getByText('In a container it means the container').waitFor();
    await page.getByLabel(PLACE).selectOption('On another machine');
    await page.getByText('Set HOST=0.0.0.0').waitFor();
    const address = page.getByLabel('Address of the hub, as that machine reaches it');
    await address.fill('192.168.1.20/hub');
    await page.getByText('Leave the path out').waitFor();
    expect(await page.locator('.secret').textContent()).toContain('set causeway_url "…"');
    await address.fill('192.168.1.20');
    await page.getByText(`set causeway_url "ws://192.168.1.20:${hub.port}/bridge"`).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  it('does not say so of a hub that listens on every address', async () => {
    const hub = await startHub({ env: { HOST: '0.0.0.0' } });
    const { page } = await enter(hub, '/servers/main/connect');
    await page.getByLabel(PLACE).selectOption('On another machine');
    await page.getByLabel('Address of the hub, as that machine reaches it').waitFor();
    expect(await page.getByText('HOST=0.0.0.0').count()).toBe(0);
  });
});

describe.skipIf(onPostgres)('the overview', () => {
  it('says when the last good backup was made, and that the last attempt failed', async () => {
    const folder = newFolder();
    const tuning = { backupCheckMs: 20, backupDelayMs: 0 };
    const good = await startHub({ env: { BACKUP_FOLDER: folder }, tuning });
    const { page } = await enter(good, '/project');
    await page.getByText(/Last good backup: .+\.$/).waitFor();
    const bad = await startHub({ env: { BACKUP_FOLDER: join(folder, 'nowhere') }, tuning });
    const other = await enter(bad, '/');
    await other.page.getByText('The last backup failed or is late').waitFor();
  });
});
