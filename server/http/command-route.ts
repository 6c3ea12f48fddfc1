import type { IncomingMessage, ServerResponse } from 'node:http';
import { COMMAND_NAMES, COMMANDS, type CommandName } from '../../bridge-protocol/index.ts';
import type { Principal } from '../auth/credentials.ts';
import type { Admission } from '../auth/limits.ts';
import { BODIES, entryOf } from '../commands/catalogue.ts';
import { commandAnswer } from '../commands/view.ts';
import { HubError } from '../platform/errors.ts';
import { invalidRequest, SLUG_PATTERN, serverNotFound } from '../platform/fields.ts';
import {
  type Answer,
  asHubError,
  limitHeaders,
  noteVisit,
  problemAnswer,
  requestIdOf,
  visitHeaders,
  writeAnswer,
} from './answer.ts';
import { admit, assertAdmitted, assertScopes, assertServerAllowed, callerOf, createIdentify } from './identify.ts';
import {
  CLIENT_CLOSED,
  ClientClosedError,
  headerOf,
  MAX_ANNOUNCE_BYTES,
  MAX_BODY_BYTES,
  type RestDeps,
  readIdempotencyKey,
  readJson,
  readPreference,
} from './request.ts';

const PATH = new RegExp(`^/api/v2/bridge/([^/?]+)/(${COMMAND_NAMES.join('|')})/?(?:\\?(.*))?$`);

/** The routes of the built-in commands, as Hono patterns. */
export const COMMAND_ROUTES = COMMAND_NAMES.map((name) => ({
  method: 'POST',
  path: `/api/v2/bridge/:serverId/${name}`,
}));

type Call = { request: IncomingMessage; requestId: string; serverId: string; name: CommandName; query: string };
/** The parts of a call that its answer needs, also after an error halfway. */
type Progress = { headers: Record<string, string>; principal: Principal | undefined };

const decoded = (text: string): string => {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const refuseQuery = (query: string): void => {
  if (query === '') return;
  const keys = [...new Set(new URLSearchParams(query).keys())];
  if (keys.length > 0) throw invalidRequest([{ code: 'unrecognized_keys', path: [], message: '', keys }]);
};

/**
 * Serves the built-in commands without the web framework: its `Request`, `Response` and header objects would cost
 * several times more than all the rest of a command. Callers see the same answers as on other routes, because the same
 * functions make them.
 */
export const commandRoute = (deps: RestDeps) => {
  const { commands, credentials, config, log, background } = deps;
  const { identify } = createIdentify(deps);

  const letIn = (admission: Admission, principal: Principal, { name }: Call, progress: Progress): void => {
    progress.headers = limitHeaders(admission, principal);
    assertAdmitted(admission, principal);
    assertScopes(principal, [`commands:${entryOf(name).scope}`]);
  };

  const run = async (call: Call, progress: Progress): Promise<Answer> => {
    const { request, requestId, serverId, name, query } = call;
    const principal = credentials.knownKey(headerOf(request, 'x-api-key')) ?? (await identify(request));
    progress.principal = principal;
    const asked = admit(deps, principal);
    // No await on a single node, so that the body is read in the same turn of the event loop.
    letIn('admitted' in asked ? asked : await asked, principal, call, progress);
    const body = await readJson(request, name === 'announce' ? MAX_ANNOUNCE_BYTES : MAX_BODY_BYTES);
    refuseQuery(query);
    const read = BODIES[name].safeParse(body());
    if (!read.success) throw invalidRequest(read.error.issues);
    const { expiresInSeconds, ...command } = read.data;
    assertServerAllowed(principal, serverId);
    if (!SLUG_PATTERN.test(serverId)) throw serverNotFound(serverId);
    const { waitMs, isAsync } = readPreference(headerOf(request, 'prefer'), config.COMMAND_WAIT_MS);
    const { ttlMs, class: kind } = COMMANDS[name];
    const { row, isNew } = await commands.submit({
      ...callerOf(principal, requestId),
      serverId,
      name,
      ...command,
      idempotencyKey: readIdempotencyKey(request),
      expiresAt: Date.now() + (expiresInSeconds === undefined ? ttlMs : expiresInSeconds * 1000),
      waitMs,
    });
    if (!isNew) progress.headers['Idempotency-Replayed'] = 'true';
    if (isAsync) progress.headers['Preference-Applied'] = 'respond-async';
    const waitingFor = row.status === 'waiting' ? await commands.waitingFor(row) : undefined;
    return commandAnswer(row, { isAsync, isEphemeral: kind === 'ephemeral', waitingFor });
  };

  const explain = (error: unknown, { request, requestId }: Call, path: string): Answer => {
    if (error instanceof ClientClosedError) return { status: CLIENT_CLOSED, headers: {}, text: '' };
    // An earlier request with this key may have been executed.
    const known = asHubError(error, { mayBeDone: headerOf(request, 'idempotency-key') !== undefined });
    if (known === undefined || known.cause !== undefined) {
      log.error(
        { err: known?.cause ?? error, requestId },
        known === undefined ? 'a request failed' : 'the database failed',
      );
    }
    return problemAnswer(known ?? new HubError('internal_error'), { path, requestId });
  };

  const serve = async (call: Call, response: ServerResponse): Promise<void> => {
    const since = performance.now();
    const { request, requestId, name } = call;
    const path = `/api/v2/bridge/${call.serverId}/${name}`;
    const progress: Progress = { headers: {}, principal: undefined };
    const answer = await run(call, progress).catch((error: unknown) => explain(error, call, path));
    const visit = visitHeaders(requestId, headerOf(request, 'traceparent'));
    writeAnswer(response, answer, visit, progress.headers);
    const seen = {
      route: `/api/v2/bridge/:serverId/${name}`,
      status: answer.status,
      since,
      principal: progress.principal,
    };
    noteVisit(deps, { requestId, method: 'POST', path }, seen);
  };

  /** Serves a request for one of these routes. False: the request is for another route. */
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.method !== 'POST') return false;
    const match = PATH.exec(request.url ?? '');
    if (match === null) return false;
    const [, serverId = '', name = '', query = ''] = match;
    const call: Call = {
      request,
      requestId: requestIdOf(headerOf(request, 'x-request-id')),
      serverId: decoded(serverId),
      name: name as CommandName,
      query,
    };
    background.run('command', () => serve(call, response));
    return true;
  };
};
