import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import { createApp } from './app.ts';
import { discardRest, usualTarget } from './platform/http.ts';
import { createEarlyRefusal, createKeylessCounts } from './rest/admission.ts';
import { httpFaultAnswer } from './rest/answer.ts';
import { createFastPath } from './rest/commands/fast-path.ts';
import type { RestDeps } from './rest/context.ts';

const answerFault = (error: unknown): Response => {
  const code = error instanceof RequestError ? 'malformed_http' : 'internal_error';
  const { status, headers, text } = httpFaultAnswer(code);
  return new Response(text, { status, headers });
};

/** Answers the requests of the HTTP server. While `isLeaving`, each answer ends its connection. */
export const createListener = (deps: RestDeps) => {
  const keyless = createKeylessCounts(deps);
  const serve = getRequestListener(createApp({ ...deps, keyless }).fetch, {
    // The framework's own cleanup cuts the connection after half a second, even during the next request.
    autoCleanupIncoming: false,
    // Proxies send HTTP/1.0 checks without Host, which would be answered 400.
    hostname: 'hub',
    errorHandler: answerFault,
  });
  const refuseEarly = createEarlyRefusal({ ...deps, keyless });
  const serveCommand = createFastPath(deps);

  return (request: IncomingMessage, response: ServerResponse): void => {
    request.url = usualTarget(request.url ?? '');
    // The next request must go to another node.
    if (deps.phase.isLeaving) response.shouldKeepAlive = false;
    if (refuseEarly(request, response) || serveCommand(request, response)) return;
    response.once('finish', () => discardRest(request));
    serve(request, response);
  };
};
