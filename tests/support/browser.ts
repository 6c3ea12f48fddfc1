import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { TestHub } from '../testkit/hub.ts';

const EXECUTABLE = '/usr/bin/chromium';
const DEADLINE_MS = 20_000;

type Violation = { id: string; nodes: { html: string; failureSummary?: string }[] };

/** Forbidden on every page: console errors, failed requests, and requests to other hosts than the hub. */
const watch = (page: Page, hub: Pick<TestHub, 'address'>) => {
  const complaints: string[] = [];
  let isExpected = (_text: string): boolean => false;
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(`page error: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${hub.address}/`) && !/^(data|blob):/.test(url)) complaints.push(`elsewhere: ${url}`);
  });
  return {
    /** Errors that a test causes on purpose. */
    expecting: (pattern: RegExp): void => {
      isExpected = (text) => pattern.test(text);
    },
    complaints: (): string[] => complaints.filter((text) => !isExpected(text)),
  };
};

/** One browser for a file of tests, with a fresh profile for each visit. */
export const openBrowser = () => {
  let browser: Browser;
  beforeAll(async () => {
    // Chromium has no sandbox for root, which CI uses.
    browser = await chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  });
  afterAll(() => browser.close());

  /** Opens a page of the panel. At the end of the test it must not have complained. */
  const visit = async (
    hub: Pick<TestHub, 'address'>,
    path = '/',
    options: BrowserContextOptions = {},
    prepare: (page: Page) => Promise<void> = () => Promise.resolve(),
  ) => {
    const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1200, height: 800 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(DEADLINE_MS);
    await prepare(page);
    const watched = watch(page, hub);
    onTestFinished(async () => {
      await context.close();
      expect(watched.complaints()).toEqual([]);
    });
    await page.goto(hub.address + path);
    return { page, context, expecting: watched.expecting };
  };

  const signIn = async (page: Page, key: string): Promise<void> => {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation').waitFor();
  };

  return {
    visit,
    signIn,
    /** The same, signed in. */
    enter: async (hub: TestHub, path = '/', options: BrowserContextOptions & { key?: string } = {}) => {
      const { key = hub.key, ...rest } = options;
      const visited = await visit(hub, path, rest);
      await signIn(visited.page, key);
      return visited;
    },
  };
};

/** Makes each answer of the hub arrive this much later. */
export const delayAnswers = async (page: Page, latency: number): Promise<void> => {
  const session = await page.context().newCDPSession(page);
  const conditions = { offline: false, latency, downloadThroughput: -1, uploadThroughput: -1 };
  await session.send('Network.emulateNetworkConditions', conditions);
};

/** The findings of axe on the current page. */
export const violationsOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe.source);
  const violations = await page.evaluate<Violation[]>('axe.run(document).then(({ violations }) => violations)');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
};
