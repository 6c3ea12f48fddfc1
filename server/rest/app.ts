import { OpenAPIHono } from '@hono/zod-openapi';
import { bodyLimit } from 'hono/body-limit';
import { HubError } from '../errors.ts';
import { actionRoutes } from './actions.ts';
import { bridgeRoutes } from './bridge.ts';
import { LANE_ROUTES } from './command-lane.ts';
import { commandRoutes } from './commands.ts';
import type { RestDeps, RestEnv } from './context.ts';
import { docsRoutes } from './docs.ts';
import { eventRoutes } from './events.ts';
import { healthRoutes } from './health.ts';
import { createIdentify } from './identify.ts';
import { keyRoutes } from './keys.ts';
import { authenticate, requestScope, requireJson } from './middleware.ts';
import { operationRoutes } from './operations.ts';
import { createPanelFiles } from './panel-files.ts';
import { panelSessionRoutes } from './panel-session.ts';
import { playerRoutes } from './players.ts';
import { createErrorHandler, problem } from './problem.ts';
import { projectRoutes } from './project.ts';
import { MAX_BODY_BYTES } from './request-body.ts';
import { serverRoutes } from './servers.ts';
import { statisticsRoutes } from './statistics.ts';

const DESCRIPTION = `The command hub for roleplay game servers. Every command ends in a true, durable answer.

Send your key in the header X-API-Key. A key belongs to one project; 100 requests in any 60 seconds are admitted for each project, unless its limit says otherwise. Errors are application/problem+json with a stable code.`;

/** Which methods a path knows, for 405. Patterns are Hono's: `/a/:b`. */
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
export const createApp = (deps: RestDeps) => {
  const app = new OpenAPIHono<RestEnv>({ strict: false });
  const api = new OpenAPIHono<RestEnv>({ strict: false });
  app.use(requestScope(deps));
  app.onError(createErrorHandler(deps));
  app.route('/', operationRoutes(deps));
  app.route('/', docsRoutes());
  const panelFiles = createPanelFiles(deps.panelFolder);
  app.route('/', panelFiles.routes);

  app.openAPIRegistry.registerComponent('securitySchemes', 'apiKey', {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
  });
  // Made once: it takes some 20 ms, and anybody may ask for it.
  let document: string | undefined;
  app.get('/api/v2/openapi.json', (c) => {
    document ??= JSON.stringify(app.getOpenAPI31Document(documentInfo(deps)));
    return c.body(document, 200, { 'Content-Type': 'application/json' });
  });

  const identity = createIdentify(deps);
  api.use(authenticate({ ...deps, identity }));
  api.use(bodyLimit({ maxSize: MAX_BODY_BYTES, onError: () => fail('payload_too_large') }));
  api.use(requireJson);
  const mounts = [
    healthRoutes(deps),
    playerRoutes(deps),
    bridgeRoutes(),
    actionRoutes(deps),
    commandRoutes(deps),
    serverRoutes(deps),
    keyRoutes(deps),
    projectRoutes(deps),
    eventRoutes({ ...deps, identity }),
    panelSessionRoutes(deps),
    statisticsRoutes(deps),
  ];
  for (const mount of mounts) api.route('/', mount);
  app.route('/api/v2', api);

  const methodsOf = createMethodTable([...app.routes, ...LANE_ROUTES]);
  app.notFound((c) => {
    const allow = methodsOf(c.req.path);
    if (allow.length === 0) return panelFiles.notFound(c) ?? problem(c, new HubError('not_found'));
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
