import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import { OpenAPIHono } from '@hono/zod-openapi';
import { bodyLimit } from 'hono/body-limit';
import { answerError, httpFaultAnswer, problem } from './http/answer.ts';
import { COMMAND_ROUTES, commandRoute } from './http/command-route.ts';
import { createExports } from './http/csv.ts';
import { completeDocument, SECTIONS } from './http/document.ts';
import { createIdentify, earlyRefusal, KeylessCounts } from './http/identify.ts';
import { authenticate, compressed, requestScope, requireJson } from './http/middleware.ts';
import { bridgeZipRoutes, createSetupDoor, operationRoutes, setupRoutes } from './http/pages.ts';
import { MAX_BATCH_BYTES, MAX_BODY_BYTES, type RestDeps, type RestEnv } from './http/request.ts';
import { batchRoutes } from './http/routes/batches.ts';
import { actionRoutes, bridgeRoutes } from './http/routes/bridge.ts';
import { catalogueRoutes } from './http/routes/catalogues.ts';
import { commandRoutes } from './http/routes/commands.ts';
import { eventRoutes } from './http/routes/events.ts';
import { healthRoutes } from './http/routes/health.ts';
import { integrationRoutes } from './http/routes/integrations.ts';
import { keyRoutes } from './http/routes/keys.ts';
import { orderLineRoutes } from './http/routes/order-lines.ts';
import { panelSessionRoutes } from './http/routes/panel-session.ts';
import { playerRoutes } from './http/routes/players.ts';
import { projectRoutes } from './http/routes/project.ts';
import { scheduleRoutes } from './http/routes/schedules.ts';
import { serverRoutes } from './http/routes/servers.ts';
import { shopWebhookRoutes } from './http/routes/shop-webhooks.ts';
import { statisticsRoutes } from './http/routes/statistics.ts';
import { webhookRoutes } from './http/routes/webhooks.ts';
import { discardRest, usualTarget } from './http/server.ts';
import { createStaticFiles } from './http/static.ts';
import { HubError } from './platform/errors.ts';

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
  app.onError((error, c) => answerError(deps.log, error, c));
  app.route('/', operationRoutes(deps));
  const staticFiles = createStaticFiles(deps.panelFolder);
  app.route('/', staticFiles.docs);
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
    document ??= JSON.stringify(completeDocument(app.getOpenAPI31Document(documentInfo(deps))));
    return c.body(document, 200, { 'Content-Type': 'application/json' });
  });

  // Before the routes with a key: their middleware would ask for one.
  app.route('/', shopWebhookRoutes(deps));
  const identity = createIdentify(deps);
  api.use(authenticate({ ...deps, identity }));
  const onError = (): never => {
    throw new HubError('payload_too_large');
  };
  const limit = bodyLimit({ maxSize: MAX_BODY_BYTES, onError });
  const batchLimit = bodyLimit({ maxSize: MAX_BATCH_BYTES, onError });
  api.use((c, next) => (c.req.path === '/api/v2/batches' ? batchLimit(c, next) : limit(c, next)));
  api.use(requireJson);
  for (const list of ['/players', '/players/identifiers', '/commands', '/batches']) api.use(list, compressed);
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
    orderLineRoutes(deps),
    webhookRoutes(deps),
    projectRoutes(deps),
    eventRoutes({ ...deps, identity }),
    panelSessionRoutes(deps),
    statisticsRoutes(deps),
  ];
  for (const mount of mounts) api.route('/', mount);
  app.route('/api/v2', api);

  const methodsOf = createMethodTable([...app.routes, ...COMMAND_ROUTES]);
  app.notFound((c) => {
    const allow = methodsOf(c.req.path);
    if (allow.length === 0) return staticFiles.notFound(c) ?? problem(c, new HubError('not_found'));
    return problem(c, new HubError('method_not_allowed', undefined, { allow }));
  });
  return app;
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
  tags: SECTIONS,
});

const answerFault = (error: unknown): Response => {
  const code = error instanceof RequestError ? 'malformed_http' : 'internal_error';
  const { status, headers, text } = httpFaultAnswer(code);
  return new Response(text, { status, headers });
};

/** Answers the requests of the HTTP server. While `isLeaving`, each answer ends its connection. */
export const createListener = (deps: RestDeps) => {
  const keyless = new KeylessCounts(deps);
  const serve = getRequestListener(createApp({ ...deps, keyless }).fetch, {
    // The framework's own cleanup cuts the connection after half a second, even during the next request.
    autoCleanupIncoming: false,
    // Proxies send HTTP/1.0 checks without Host, which would be answered 400.
    hostname: 'hub',
    errorHandler: answerFault,
  });
  const refuseEarly = earlyRefusal({ ...deps, keyless });
  const serveCommand = commandRoute(deps);

  return (request: IncomingMessage, response: ServerResponse): void => {
    request.url = usualTarget(request.url ?? '');
    // The next request must go to another node.
    if (deps.phase.isLeaving) response.shouldKeepAlive = false;
    if (refuseEarly(request, response) || serveCommand(request, response)) return;
    response.once('finish', () => discardRest(request));
    serve(request, response);
  };
};
