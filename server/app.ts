import { OpenAPIHono } from '@hono/zod-openapi';
import { bodyLimit } from 'hono/body-limit';
import { HubError } from './platform/errors.ts';
import type { KeylessCounts } from './rest/admission.ts';
import { createErrorHandler, problem } from './rest/answer.ts';
import { actionRoutes } from './rest/commands/actions.ts';
import { createExports } from './rest/commands/csv.ts';
import { FAST_PATH_ROUTES } from './rest/commands/fast-path.ts';
import { bridgeRoutes } from './rest/commands/routes.ts';
import type { RestDeps, RestEnv } from './rest/context.ts';
import { createIdentify } from './rest/identify.ts';
import { authenticate, requestScope, requireJson } from './rest/middleware.ts';
import { bridgeZipRoutes } from './rest/pages/bridge-zip.ts';
import { docsRoutes } from './rest/pages/docs.ts';
import { operationRoutes } from './rest/pages/operations.ts';
import { setupRoutes } from './rest/pages/setup.ts';
import { createStaticFiles } from './rest/pages/static-files.ts';
import { MAX_BATCH_BYTES, MAX_BODY_BYTES } from './rest/request.ts';
import { batchRoutes } from './rest/routes/batches.ts';
import { catalogueRoutes } from './rest/routes/catalogues.ts';
import { commandRoutes } from './rest/routes/commands.ts';
import { eventRoutes } from './rest/routes/events.ts';
import { healthRoutes } from './rest/routes/health.ts';
import { integrationRoutes } from './rest/routes/integrations.ts';
import { keyRoutes } from './rest/routes/keys.ts';
import { panelSessionRoutes } from './rest/routes/panel-session.ts';
import { playerRoutes } from './rest/routes/players.ts';
import { projectRoutes } from './rest/routes/project.ts';
import { scheduleRoutes } from './rest/routes/schedules.ts';
import { serverRoutes } from './rest/routes/servers.ts';
import { statisticsRoutes } from './rest/routes/statistics.ts';
import { webhookRoutes } from './rest/routes/webhooks.ts';
import { createSetupDoor } from './rest/setup-door.ts';

const DESCRIPTION = `The command hub for roleplay game servers. Every command ends in a true, durable answer.

Send your key in the header X-API-Key. A key belongs to one project; 100 requests in any 60 seconds are admitted for each project, unless its limit says otherwise. Errors are application/problem+json with a stable code.`;

/** The methods of a path, for 405. Patterns are Hono's: `/a/:b`. */
const createMethodTable = (routes: readonly { method: string; path: string }[]) => {
  const table = routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => ({
      method,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:[^/]+/g, '[^/]+')}/?$`),
    }));
  return (path: string): string[] => {
    const methods = new Set(table.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method));
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods];
  };
};

/** The whole REST side: middleware, errors, mounts. */
export const createApp = (deps: RestDeps & { keyless: KeylessCounts }) => {
  const app = new OpenAPIHono<RestEnv>({ strict: false });
  const api = new OpenAPIHono<RestEnv>({ strict: false });
  app.use(requestScope(deps));
  app.onError(createErrorHandler(deps));
  app.route('/', operationRoutes(deps));
  const staticFiles = createStaticFiles(deps.panelFolder);
  app.route('/', staticFiles.docs);
  app.route('/', docsRoutes());
  const setupDoor = createSetupDoor(deps);
  app.route('/', setupRoutes(deps, setupDoor, staticFiles));
  app.route('/', bridgeZipRoutes(deps, setupDoor));
  app.route('/', staticFiles.panel);

  app.openAPIRegistry.registerComponent('securitySchemes', 'apiKey', {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
  });
  // Made once, because it takes about 20 ms and is public.
  let document: string | undefined;
  app.get('/api/v2/openapi.json', (c) => {
    document ??= JSON.stringify(app.getOpenAPI31Document(documentInfo(deps)));
    return c.body(document, 200, { 'Content-Type': 'application/json' });
  });

  // Before the routes with a key: their middleware would ask for one.
  app.route('/', webhookRoutes(deps));
  const identity = createIdentify(deps);
  api.use(authenticate({ ...deps, identity }));
  const onError = () => fail('payload_too_large');
  const limit = bodyLimit({ maxSize: MAX_BODY_BYTES, onError });
  const batchLimit = bodyLimit({ maxSize: MAX_BATCH_BYTES, onError });
  api.use((c, next) => (c.req.path === '/api/v2/batches' ? batchLimit(c, next) : limit(c, next)));
  api.use(requireJson);
  const exportJournal = createExports(deps);
  const mounts = [
    healthRoutes(deps),
    playerRoutes(deps),
    bridgeRoutes(),
    actionRoutes(deps),
    commandRoutes({ ...deps, exportJournal }),
    batchRoutes({ ...deps, exportJournal }),
    scheduleRoutes(deps),
    serverRoutes(deps),
    catalogueRoutes(deps),
    keyRoutes(deps),
    integrationRoutes(deps),
    projectRoutes(deps),
    eventRoutes({ ...deps, identity }),
    panelSessionRoutes(deps),
    statisticsRoutes(deps),
  ];
  for (const mount of mounts) api.route('/', mount);
  app.route('/api/v2', api);

  const methodsOf = createMethodTable([...app.routes, ...FAST_PATH_ROUTES]);
  app.notFound((c) => {
    const allow = methodsOf(c.req.path);
    if (allow.length === 0) return staticFiles.notFound(c) ?? problem(c, new HubError('not_found'));
    return problem(c, new HubError('method_not_allowed', undefined, { allow }));
  });
  return app;
};

const fail = (code: 'payload_too_large'): never => {
  throw new HubError(code);
};

const documentInfo = ({ version, config }: RestDeps) => ({
  openapi: '3.1.0',
  info: {
    title: 'Causeway',
    version,
    description: DESCRIPTION,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: config.PUBLIC_URL ?? '/' }],
});
