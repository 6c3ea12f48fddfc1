import { DatabaseError } from '../../db/errors.ts';

/** Whether a command took effect, as far as can be known. */
export type Executed = 'yes' | 'no' | 'unknown';

type Definition = { status: number; title: string; remedy: string; executed: Executed; retryable: boolean };

/** An error code. Nothing took effect, and the same request would be refused again. */
const define = (status: number, title: string, remedy: string): Definition => ({
  status,
  title,
  remedy,
  executed: 'no',
  retryable: false,
});
/** An error of the moment: the same request may succeed later. */
const passing = (...about: Parameters<typeof define>): Definition => ({ ...define(...about), retryable: true });
/** An error after which nobody can tell whether the request took effect. */
const doubtful = (...about: Parameters<typeof define>): Definition => ({ ...define(...about), executed: 'unknown' });

/** The closed list of error codes: HTTP status, meaning and remedy. `npm run docs:errors` makes the reference of them. */
export const ERRORS = {
  malformed_http: define(
    400,
    'Not a valid HTTP request',
    'Send a request of HTTP/1.1 with one Host header; the connection is closed.',
  ),
  request_timeout: passing(408, 'The request did not arrive in time', 'Send it within 30 seconds, its headers in 10.'),
  expectation_failed: define(417, 'The expectation is not supported', 'Send Expect: 100-continue, or no such header.'),
  headers_too_large: define(431, 'The headers are too large', 'Send at most 8 KiB of address and headers.'),
  malformed_json: define(400, 'The body is not JSON', 'Send one JSON object, encoded as UTF-8.'),
  missing_api_key: define(401, 'No API key', 'Send your key in the header X-API-Key.'),
  invalid_api_key: define(
    401,
    'The API key is not valid',
    'Check that the key was copied whole and has neither been revoked nor expired.',
  ),
  signed_out: define(401, 'You are not signed in any more', 'Sign in to the panel again with your key.'),
  insufficient_scope: define(403, 'The key lacks a scope', 'Use a key with the scope that "detail" names.'),
  server_not_allowed: define(403, 'The key may not use this server', 'Use a key that is not limited to other servers.'),
  above_ceiling: define(
    403,
    'The operator of the hub allows less',
    'Stay within the bound that "detail" names, or have the operator raise it: causeway project set.',
  ),
  not_found: define(404, 'No such address', 'Compare the path with /api/v2/openapi.json.'),
  server_not_found: define(404, 'Unknown server', 'List the servers of your project: GET /api/v2/servers.'),
  player_not_found: define(
    404,
    'Unknown player',
    'Send an identifier that GET /api/v2/players shows, or a linked one of a player of this server.',
  ),
  schedule_not_found: define(404, 'Unknown schedule', 'Check the id; GET /api/v2/schedules lists them.'),
  batch_not_found: define(404, 'Unknown batch', 'Check the id; GET /api/v2/batches lists them.'),
  command_not_found: define(404, 'Unknown command', 'Check the id; another project’s commands are not visible.'),
  key_not_found: define(404, 'Unknown key', 'List the keys of your project: GET /api/v2/keys.'),
  integration_not_found: define(
    404,
    'Unknown integration',
    'List the integrations of your project: GET /api/v2/integrations.',
  ),
  webhook_not_found: define(404, 'Unknown webhook', 'List the webhooks of your project: GET /api/v2/webhooks.'),
  delivery_not_found: define(404, 'Unknown delivery', 'List what was sent: GET /api/v2/webhooks/{id}/deliveries.'),
  line_not_found: define(
    404,
    'Unknown line of an order',
    'List what the staff has to decide: GET /api/v2/integrations/{id}/unmatched.',
  ),
  invalid_signature: define(
    401,
    'The signature does not fit',
    'Compare the secret of the integration with that of the shop; sign the body exactly as it is sent.',
  ),
  already_decided: define(
    409,
    'The line cannot be decided so',
    '"detail" says why. Read the list again: GET /api/v2/integrations/{id}/unmatched.',
  ),
  method_not_allowed: define(405, 'The method is not allowed here', 'Use one of the methods in the header Allow.'),
  player_ambiguous: define(
    409,
    'Several players carry this identifier',
    'Send the own identifier of one of them; "players" lists them for a key with players:read.',
  ),
  player_offline: passing(409, 'The player is not online', 'Repeat when the player is online.'),
  insufficient_funds: define(
    409,
    'Not enough money',
    'Take at most the amount in the field "balance", or send allowNegative.',
  ),
  reason_required: define(
    422,
    'The project wants a reason for this command',
    'Send a reason. GET /api/v2/project lists in "reasonFor" which commands need one.',
  ),
  unknown_item: define(422, 'The game server has no such item', 'Choose one of GET /api/v2/servers/{serverId}/items.'),
  inventory_full: define(
    409,
    'No room in the inventory',
    'Give at most as many as the field "fits" says, or send allowPartial.',
  ),
  too_heavy: define(
    409,
    'Too heavy for the inventory',
    'Give at most as many as the field "fits" says, or send allowPartial.',
  ),
  not_enough_items: define(
    409,
    'The player has fewer of this item',
    'Take at most as many as the field "count" says, or send allowPartial.',
  ),
  inventory_locked: passing(
    409,
    'The inventory is locked',
    'Something else uses it; repeat in a few seconds, with a new Idempotency-Key.',
  ),
  unknown_model: define(
    422,
    'The game server has no such vehicle model',
    'Choose one of GET /api/v2/servers/{serverId}/vehicles.',
  ),
  plate_taken: define(409, 'Another vehicle has this plate', 'Choose another plate, or leave it out.'),
  vehicle_not_found: define(
    409,
    'The player has no vehicle with this plate',
    'Send a plate that GET /api/v2/players/{identifier} shows.',
  ),
  vehicle_out: passing(
    409,
    'The vehicle is in use',
    'Store it, or repeat when it stands in a garage, with a new Idempotency-Key.',
  ),
  unknown_job: define(422, 'The game server has no such job', 'Choose one of GET /api/v2/servers/{serverId}/jobs.'),
  unknown_grade: define(
    422,
    'The job has no such grade',
    'Choose a grade that GET /api/v2/servers/{serverId}/jobs shows for this job.',
  ),
  refused: define(
    409,
    'The game server refused',
    '"detail" says why; nothing was done. Change what it objects to, and send it with a new Idempotency-Key.',
  ),
  voided: define(409, 'The command was taken back', 'It never took effect. Send a new one if it is wanted.'),
  expired: define(
    409,
    'The command expired before it was sent',
    'It never took effect. Send it again with a new Idempotency-Key.',
  ),
  indeterminate: doubtful(
    409,
    'The outcome cannot be known',
    'Look at the player in the game, then resolve it: POST /api/v2/commands/{id}/resolve.',
  ),
  invalid_state: define(
    409,
    'The command has already ended',
    'Read its state first: GET /api/v2/commands/{id}. Only an indeterminate command can be resolved.',
  ),
  not_settled: passing(
    409,
    'It has not ended',
    'Repeat it when its outcome is known; of an indeterminate command, resolve it first: POST /api/v2/commands/{id}/resolve.',
  ),
  nothing_to_undo: define(409, 'It had no effect', 'There is nothing to undo.'),
  no_opposite: define(409, 'It has no opposite', '"detail" says why. Take the effect back by hand.'),
  already_sent: define(409, 'It has had effect, or still may', 'Read the command that "command" names.'),
  not_repeatable: define(409, 'It cannot be sent again', '"detail" says why, and what to do instead.'),
  last_admin_key: define(
    409,
    'No other key could manage keys for all servers',
    'Make another key with keys:write for all servers first.',
  ),
  setup_link_gone: define(
    410,
    'The setup link does not work any more',
    'It works once, for 15 minutes, in one browser. Make another on the machine of the hub: causeway setup-link (with the single file: ./causeway-linux-x64 setup-link).',
  ),
  setup_not_private: define(
    403,
    'The setup needs TLS',
    'Open it on the machine of the hub, or over https:// with TRUST_PROXY set to the number of your proxies.',
  ),
  already_exists: define(409, 'The id is taken', 'Choose another id.'),
  quota_exceeded: define(
    409,
    'The project has reached its quota',
    'Remove what is not needed, or ask the operator of the hub for a higher quota.',
  ),
  payload_too_large: define(413, 'The body is too large', 'Send at most 64 KiB.'),
  unsupported_media_type: define(415, 'The body must be JSON', 'Send Content-Type: application/json.'),
  invalid_request: define(422, 'The request is not valid', '"errors" names each field and what is wrong with it.'),
  idempotency_mismatch: define(
    422,
    'The Idempotency-Key was used with another body',
    'Repeat the same body to read the stored answer: the first command may have taken effect. Another command needs another key.',
  ),
  rate_limited: passing(429, 'Too many requests', 'Wait as long as Retry-After says.'),
  internal_error: doubtful(500, 'The hub failed', 'Report the requestId to the operator of the hub.'),
  action_not_found: define(
    404,
    'The server has no such custom command',
    'Check the name; GET /api/v2/bridge/{serverId}/actions lists them. The resource that offers it may have stopped.',
  ),
  unsupported: define(
    501,
    'The bridge cannot do this',
    'Update the bridge of this server; GET /api/v2/servers/{id} lists what it can do.',
  ),
  journal_required: define(
    501,
    'The bridge has no durable journal',
    'Use a bridge of class atomic, durable or saved, or make its journal writable again.',
  ),
  bridge_error: doubtful(
    502,
    'Invalid answer from the bridge',
    'Look at the console of the game server; GET /api/v2/commands/{id} has what it said.',
  ),
  bridge_offline: passing(
    503,
    'The bridge of this server is not connected',
    'Start the game server, or look at its console.',
  ),
  waiting_full: passing(
    503,
    'Too many commands wait',
    'Wait until some are delivered, or take some back; nothing was stored.',
  ),
  bridge_busy: passing(503, 'Too many commands are waiting for this server', 'Slow down and repeat.'),
  commands_not_known_yet: passing(
    503,
    'The custom commands of this server are not known yet',
    'Repeat in a second: its bridge has just connected.',
  ),
  server_restarting: passing(503, 'The game server is about to restart', 'Repeat when it is back in a few minutes.'),
  unsupported_protocol: define(
    400,
    'The subprotocol is not supported',
    'Offer the WebSocket subprotocol that "supported" lists.',
  ),
  invalid_token: define(
    401,
    'The bridge token is not valid',
    'Send it as Authorization: Bearer cwb_…; make a new one if it was revoked.',
  ),
  origin_not_allowed: define(
    403,
    'Origin not allowed',
    'Bridges connect without an Origin header; the panel is used from its own address.',
  ),
  node_full: passing(503, 'The hub takes no more bridges now', 'Come back as late as Retry-After says.'),
  server_disabled: define(403, 'The server or its project is disabled', 'Enable it: PATCH /api/v2/servers/{id}.'),
  draining: passing(503, 'The hub is about to stop', 'Repeat in a few seconds.'),
  store_unavailable: passing(
    503,
    'The hub’s database does not take writes',
    'Tell the operator; GET /api/v2/health has details.',
  ),
  routing_unavailable: passing(503, 'The node that holds this server cannot be reached', 'Repeat in a second.'),
  bridge_timeout: doubtful(
    504,
    'The bridge did not answer in time',
    'Look whether it happened: GET /api/v2/commands/{id}.',
  ),
} satisfies Record<string, Definition>;

export type ErrorCode = keyof typeof ERRORS;

export type ErrorExtras = {
  executed?: Executed;
  retryable?: boolean;
  retryAfterS?: number;
  errors?: readonly { pointer: string; detail: string }[];
  command?: { id: string; status: string };
  balance?: number;
  /** The number of items that still fit. */
  fits?: number;
  /** The number of items that the player has. */
  count?: number;
  /** The bound of waiting commands that is reached, and its owner. */
  waiting?: { of: 'player' | 'server' | 'project' | 'bytes'; most: number };
  /** The players that an ambiguous identifier can mean. */
  players?: readonly { identifier: string; name: string; online: boolean }[];
  allow?: readonly string[];
};

/** An error for callers: a code of {@link ERRORS}, a detail, and the state of the command. */
export class HubError extends Error {
  override name = 'HubError';
  readonly code: ErrorCode;
  readonly extras: ErrorExtras;
  constructor(code: ErrorCode, detail: string = ERRORS[code].remedy, extras: ErrorExtras = {}, options?: ErrorOptions) {
    super(detail, options);
    this.code = code;
    this.extras = extras;
  }
}

/** A validation error of one field, as {@link HubError}. */
export const invalidField = (pointer: string, detail: string): HubError =>
  new HubError('invalid_request', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });

/** More than a limit, which `limit` names in a sentence. `retryAfterS`: seconds after which it is worth another try. */
export const rateLimited = (limit: string, retryAfterS: number): HubError =>
  new HubError('rate_limited', `${limit} Try again in ${retryAfterS} s.`, { retryAfterS });

/** The error for an insert that failed, or whose result is unknown: a row that was stored is sent after a reconnect. */
export const notStored = (error: unknown): HubError => {
  const isUnknown = error instanceof DatabaseError && error.isUnknown;
  return new HubError(
    'store_unavailable',
    isUnknown ? 'It may have been stored. Repeat it with the same Idempotency-Key, or look for it.' : undefined,
    { retryAfterS: 5, ...(isUnknown && { executed: 'unknown' }) },
    { cause: error },
  );
};

/** A command is stored and may have been sent, and its row cannot be read: an earlier state of it could be untrue. */
export const unread = ({ id, idempotencyKey }: { id: string; idempotencyKey: string | null }): HubError =>
  new HubError(
    'store_unavailable',
    `The command ${id} is stored, and the hub cannot read now how it stands. ` +
      'Repeat it with the same Idempotency-Key, or look into the journal.',
    { executed: 'unknown', retryable: idempotencyKey !== null, retryAfterS: 5 },
  );
