import { createApp } from '../../server/app.ts';
import { readConfig, TUNING, VERSION } from '../../server/platform/config.ts';
import { createMetrics } from '../../server/platform/metrics.ts';
import { silentLog } from './silent-log.ts';

const openApp = () =>
  createApp({
    config: readConfig({}),
    log: silentLog(),
    metrics: createMetrics(),
    tuning: TUNING,
    version: VERSION,
    panelFolder: '',
    // Routes take the rest apart when they are built and use it when they are asked; here only the document is.
  } as Parameters<typeof createApp>[0]);

/** The REST side's own table of routes, to compare with the document. */
export const readAppRoutes = (): { method: string; path: string }[] => openApp().routes;

let text: Promise<string> | undefined;

/** The OpenAPI document, as a hub serves it, without a hub; made once, because that takes longer than a test. */
export const readApiDocument = (): Promise<string> => {
  text ??= Promise.resolve(openApp().request('/api/v2/openapi.json')).then((answer) => answer.text());
  return text;
};
