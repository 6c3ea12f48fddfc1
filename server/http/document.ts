/** The parts of an operation that this file completes. */
type Operation = {
  security?: unknown[];
  responses: Record<
    string,
    { headers?: Record<string, unknown>; content?: Record<string, unknown> } | { $ref: string }
  >;
};

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });
const whole = (description: string, example: number) => ({ description, schema: { type: 'integer' }, example });

/** Headers of answers that the document describes, by name. */
const HEADERS = {
  RateLimit: text(
    'What is left of the nearest limit: requests (r), and seconds until one comes free (t).',
    '"project";r=42;t=17',
  ),
  'RateLimit-Policy': text('The nearest limit: requests (q) in so many seconds (w).', '"project";q=100;w=60'),
  'X-RateLimit-Limit': whole('The same as q.', 100),
  'X-RateLimit-Remaining': whole('The same as r.', 42),
  'X-RateLimit-Reset': whole('When one comes free, Unix seconds.', 1_795_000_017),
  'Retry-After': whole('Seconds until it is worth another try.', 5),
  Location: text('The address of the command, batch or schedule.', '/api/v2/commands/cmd_01j9z3k7v8'),
  Link: text('The next page; absent on the last one.', '</api/v2/players?cursor=eyJ>; rel="next"'),
  'Idempotency-Replayed': {
    description: 'The answer is about an earlier request with the same Idempotency-Key, or about an earlier undo.',
    schema: { type: 'string', enum: ['true'] },
  },
};
export type HeaderName = keyof typeof HEADERS;

/** Headers of an answer, for its route. */
export const headers = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const LIMITS = headers(
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
);
/** Such errors come before a request is counted. */
const UNCOUNTED: readonly string[] = ['401', '408', '417', '431'];
const WITH_RETRY_AFTER: readonly string[] = ['429', '503'];

const PROBLEM = 'application/problem+json';

/** The sections of the document, in the order in which a reader needs them. */
export const SECTIONS = [
  { name: 'Players', description: 'Find and read players.' },
  { name: 'Commands', description: 'Kick, give and take; what became of it; undo.' },
  { name: 'Batches', description: 'One command for many players.' },
  { name: 'Schedules', description: 'Commands at set times.' },
  { name: 'Servers', description: 'Game servers, and lists of their items, vehicles and jobs.' },
  { name: 'Integrations', description: 'Shops, and the orders that they send.' },
  { name: 'Events', description: 'A stream of what happens.' },
  { name: 'Webhooks', description: 'Events for other programs.' },
  { name: 'Keys', description: 'API keys of the project.' },
  { name: 'Project', description: 'The project, its rules and its statistics.' },
  { name: 'Health', description: 'The hub and its databases.' },
  { name: 'Panel', description: 'Sessions of people in the panel.' },
];

const limitsOf = (status: string) => (UNCOUNTED.includes(status) ? {} : LIMITS);

/** Declares the headers of all answers, and each error once for all routes. Changes the document. */
export const completeDocument = <D extends { paths?: Record<string, object>; components?: object }>(document: D): D => {
  const problems: Record<string, unknown> = {};
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path) as Operation[]);
  for (const { security = [], responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      if ('$ref' in response) continue;
      if (Object.keys(response.content ?? {}).join() === PROBLEM) {
        // A repeated command is told its refusal again.
        const replayed = UNCOUNTED.includes(status) ? {} : headers('Idempotency-Replayed');
        const retryAfter = WITH_RETRY_AFTER.includes(status) ? headers('Retry-After') : {};
        problems[`Problem${status}`] = { ...response, headers: { ...limitsOf(status), ...retryAfter, ...replayed } };
        responses[status] = { $ref: `#/components/responses/Problem${status}` };
      } else if (security.length > 0) {
        response.headers = { ...limitsOf(status), ...response.headers };
      }
    }
  }
  document.components = { ...document.components, headers: HEADERS, responses: problems };
  return document;
};
