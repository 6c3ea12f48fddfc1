import type { LookupAddress } from 'node:dns';
import {
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  Agent as PlainAgent,
  type RequestOptions,
} from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { AddressError, type Addresses } from './address.ts';

/** From the look-up of the name to the last byte that is read. */
const POST_MS = 15_000;
/** Bytes of an answer that are read; the rest is never asked for. */
const ANSWER_BYTES = 4_096;

/**
 * How a post ended. `status`: of the answer, whatever became of its body. Without an answer there is a `fault` instead.
 * `isLate`: the receiver had not ended its answer after 15 s.
 */
export type Posted = {
  status: number | null;
  fault: 'refused_address' | 'timeout' | 'certificate' | 'connection' | null;
  /** The fault, for the owner of the webhook. */
  detail: string | null;
  /** The beginning of the answer. */
  text: string;
  isLate: boolean;
  headers: IncomingMessage['headers'];
  tookMs: number;
};
type Ended = Omit<Posted, 'tookMs'>;

const failed = (fault: NonNullable<Posted['fault']>, detail: string): Ended => ({
  status: null,
  fault,
  detail,
  text: '',
  isLate: fault === 'timeout',
  headers: {},
});

const CERTIFICATE = /CERT|SIGNED|ISSUER|TLS|SSL|CRL/;

const faultOf = (error: NodeJS.ErrnoException): Ended => {
  if (error instanceof AddressError) return failed('refused_address', error.message);
  const { code = 'unknown' } = error;
  if (CERTIFICATE.test(code)) return failed('certificate', `The certificate is not valid (${code}).`);
  return failed('connection', `The connection failed (${code}).`);
};

type Lookup = NonNullable<RequestOptions['lookup']>;

/** Hands checked addresses to the socket. */
const lookupOf =
  (addresses: Addresses): Lookup =>
  (name, { all, family }, done) => {
    const give = (found: LookupAddress[]): void => {
      const fitting = found.filter((each) => family === undefined || family === 0 || each.family === family);
      const [one] = fitting;
      if (one === undefined) done(new AddressError('The name of the host has no address of this kind.'), []);
      else if (all === true) done(null, fitting);
      else done(null, one.address, one.family);
    };
    addresses.resolve(name).then(give, (error: NodeJS.ErrnoException) => done(error, []));
  };

/** Calls `end` when an answer ends, breaks off, or is long enough. Returns the beginning, as far as it has come. */
const readBeginning = (answer: IncomingMessage, end: () => void): (() => string) => {
  const parts: Buffer[] = [];
  let bytes = 0;
  answer.on('data', (part: Buffer) => {
    parts.push(part);
    bytes += part.length;
    if (bytes >= ANSWER_BYTES) end();
  });
  answer.once('end', end);
  answer.once('error', end);
  return () => Buffer.concat(parts).subarray(0, ANSWER_BYTES).toString();
};

const answered = (answer: IncomingMessage, text: string, isLate: boolean): Ended => ({
  status: answer.statusCode ?? 0,
  fault: null,
  detail: isLate ? 'The answer did not end in time.' : null,
  text,
  isLate,
  headers: answer.headers,
});

/**
 * Posts to webhooks: nowhere else than `Addresses` allows, without redirects and without proxies. Never throws. An answer
 * counts by its status, also when its body breaks off.
 */
export const createPost = ({
  addresses,
  ca,
  deadlineMs = POST_MS,
  signal,
}: {
  addresses: Addresses;
  /** Cuts off all posts. */
  signal?: AbortSignal;
  /** Certificates to trust instead of those of Node.js. */
  ca?: string | undefined;
  deadlineMs?: number;
}) => {
  const lookup = lookupOf(addresses);
  // One connection for each post, and no session of TLS kept: the name and the certificate are checked each time.
  const plain = new PlainAgent({ keepAlive: false });
  const secure = new Agent({ keepAlive: false, maxCachedSessions: 0, ...(ca !== undefined && { ca }) });

  const send = (url: URL, body: string, headers: OutgoingHttpHeaders, end: (ended: Ended) => void): (() => void) => {
    const options = { method: 'POST', lookup, headers, ...(signal !== undefined && { signal }) };
    const sent =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, agent: secure })
        : httpRequest(url, { ...options, agent: plain });
    let beginning = (): string => '';
    let answer: IncomingMessage | undefined;
    const finish = (fault: Ended): void => end(answer === undefined ? fault : answered(answer, beginning(), false));
    const timer = setTimeout(() => {
      if (answer === undefined) end(failed('timeout', `There was no answer in ${deadlineMs / 1_000} seconds.`));
      else end(answered(answer, beginning(), true));
    }, deadlineMs);
    const closed = failed('connection', 'The connection was closed without an answer.');
    sent.once('response', (given) => {
      answer = given;
      beginning = readBeginning(given, () => finish(closed));
    });
    // A request that is cut tells of it more than once.
    sent.on('error', (error) => finish(faultOf(error)));
    sent.once('close', () => finish(closed));
    sent.end(body);
    return () => {
      clearTimeout(timer);
      sent.destroy();
    };
  };

  return (to: string, { body, headers }: { body: string; headers: Record<string, string> }): Promise<Posted> => {
    const read = addresses.read(to);
    if ('fault' in read) {
      return Promise.resolve({ ...failed('refused_address', `The address ${read.fault}.`), tookMs: 0 });
    }
    const start = performance.now();
    const length = { 'Content-Length': Buffer.byteLength(body), 'Accept-Encoding': 'identity' };
    return new Promise((resolve) => {
      const stop = send(read.url, body, { ...headers, ...length }, (ended) => {
        resolve({ ...ended, tookMs: Math.round(performance.now() - start) });
        stop();
      });
    });
  };
};
export type Post = ReturnType<typeof createPost>;
