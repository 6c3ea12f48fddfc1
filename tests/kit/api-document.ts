import { createApp } from '../../server/app.ts';
import { readConfig, TUNING, VERSION } from '../../server/platform/config.ts';
import { createLogger } from '../../server/platform/log.ts';
import { createMetrics } from '../../server/platform/metrics.ts';

const openApp = () =>
  createApp({
    config: readConfig({}),
    log: createLogger('silent'),
    metrics: createMetrics(),
    tuning: TUNING,
    version: VERSION,
    panelFolder: '',
    // Routes take the rest apart when they are built and use it when they are asked; here only the document is.
  } as Parameters<typeof createApp>[0]);

/** The REST side's own table of routes, to compare with the document. */
export const readAppRoutes = (): { method: string; path: string }[] => openApp().routes;

/** The OpenAPI document, as a hub serves it, without a hub. */
export const readApiDocument = async (): Promise<string> => (await openApp().request('/api/v2/openapi.json')).text();
