import axe from 'axe-core';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { TestHub } from './hub.ts';

const EXECUTABLE = '/usr/bin/chromium';
const DEADLINE_MS = 60_000;

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

const VIEWPORT = { width: 1200, height: 800 };

let browser: Promise<Browser> | undefined;
/** One browser for all files that a worker runs. It ends with the worker. */
const launched = (): Promise<Browser> => {
  // Chromium has no sandbox for root, which CI uses.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
  browser ??= chromium.launch({ executablePath: EXECUTABLE, args });
  return browser;
};

type Tab = { context: BrowserContext; page: Page };

/** Free tabs, by the options that cannot be changed. A visit in a new tab takes five times the processor time. */
const tabs = new Map<string, Tab[]>();

const newTab = async (options: BrowserContextOptions): Promise<Tab> => {
  const context = await (await launched()).newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(DEADLINE_MS);
  return { context, page };
};

/** A tab without cookies or stored values, and how to leave it. Its history has pages of earlier tests. */
const takeTab = async (hub: Pick<TestHub, 'address'>, options: BrowserContextOptions, isOwn: boolean) => {
  const { viewport = VIEWPORT, colorScheme = 'light', locale = 'en-GB', timezoneId, ...others } = options;
  const fixed = { locale, ...(timezoneId !== undefined && { timezoneId }), ...others };
  if (isOwn || Object.keys(others).length > 0) {
    const tab = await newTab({ ...fixed, viewport, colorScheme });
    return { ...tab, leave: () => tab.context.close() };
  }
  const kind = JSON.stringify(fixed);
  const free = tabs.get(kind) ?? [];
  tabs.set(kind, free);
  const tab = free.pop() ?? (await newTab(fixed));
  const { page, context } = tab;
  if (viewport !== null) await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
  return {
    ...tab,
    leave: async (): Promise<void> => {
      try {
        page.removeAllListeners();
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        // A page without scripts of the same site: another site would need a new process.
        await page.goto(`${hub.address}/livez`);
        await page.evaluate('localStorage.clear(); sessionStorage.clear()');
        await page.mouse.move(0, 0);
        await context.clearCookies();
        free.push(tab);
      } catch {
        // The hub is gone, or the test has closed the tab.
        await context.close();
      }
    },
  };
};

/** Visits of the panel and the documentation with the browser that all tests share. */
export const openBrowser = () => {
  /** Opens a page of the panel. At the end of the test it must not have complained. */
  const visit = async (
    hub: Pick<TestHub, 'address'>,
    path = '/',
    options: BrowserContextOptions = {},
    prepare?: (page: Page) => Promise<void>,
  ) => {
    const { page, context, leave } = await takeTab(hub, options, prepare !== undefined);
    await prepare?.(page);
    const watched = watch(page, hub);
    onTestFinished(async () => {
      const complaints = watched.complaints();
      await leave();
      expect(complaints).toEqual([]);
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

/** Makes each answer of the hub arrive this much later, until the test is over. */
export const delayAnswers = async (page: Page, latency: number): Promise<void> => {
  const session = await page.context().newCDPSession(page);
  onTestFinished(() => session.detach());
  const conditions = { offline: false, latency, downloadThroughput: -1, uploadThroughput: -1 };
  await session.send('Network.emulateNetworkConditions', conditions);
};

/** The findings of axe on the current page. */
export const violationsOf = async (page: Page): Promise<string[]> => {
  // A list that scrolls is reached by Tab as soon as its size was seen.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  await page.evaluate(axe.source);
  // Of rules that hold, axe need not collect the elements.
  const violations = await page.evaluate<Violation[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
};
