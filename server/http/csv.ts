import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { Context } from 'hono';
import { type Journal, journalTable } from '../commands/view.ts';
import { HubError } from '../platform/errors.ts';
import { asHubError } from './answer.ts';
import { ClientClosedError, type RestDeps, type RestEnv } from './request.ts';

/** One export of a project runs at a time: the next caller waits. */
const createPlaces = () => {
  /** The callers who wait, by project. A project without an entry has a free place. */
  const queues = new Map<string, Set<() => void>>();

  const free = (projectId: string): void => {
    const queue = queues.get(projectId);
    const [next] = queue ?? [];
    if (next === undefined) queues.delete(projectId);
    else next();
  };

  const wait = (queue: Set<() => void>, response: ServerResponse, waitMs: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (then: () => void): void => {
        clearTimeout(timer);
        queue.delete(take);
        response.off('close', leave);
        then();
      };
      const take = (): void => end(resolve);
      const leave = (): void => end(() => reject(new ClientClosedError()));
      const busy = new HubError(
        'rate_limited',
        'Another export of the project is under way. Wait until it has ended.',
        {
          retryAfterS: 10,
        },
      );
      const timer = setTimeout(() => end(() => reject(busy)), waitMs);
      queue.add(take);
      response.once('close', leave);
    });

  /** Takes the place until the response is closed. @throws HubError rate_limited, ClientClosedError */
  return async (projectId: string, response: ServerResponse, waitMs: number): Promise<void> => {
    if (response.closed) throw new ClientClosedError();
    const queue = queues.get(projectId);
    if (queue === undefined) queues.set(projectId, new Set());
    else await wait(queue, response, waitMs);
    // It may have closed just when its turn came.
    if (response.closed) {
      free(projectId);
      throw new ClientClosedError();
    }
    response.once('close', () => free(projectId));
  };
};

/**
 * Sends journals as CSV, one for each project at a time. A page is read when the caller has taken the one before it, in a
 * turn of the event loop of its own.
 */
export const createExports = ({ log, tuning }: Pick<RestDeps, 'log' | 'tuning'>) => {
  const takePlace = createPlaces();

  const streamOf = (c: Context<RestEnv>, first: string, rest: AsyncGenerator<string, void>): ReadableStream => {
    const { outgoing } = c.env;
    /** A table that ends early must not look complete, so the connection ends without the last chunk. */
    const cut = (error: unknown): void => {
      log.error({ err: asHubError(error)?.cause ?? error, requestId: c.get('requestId') }, 'an export failed');
      outgoing.destroy();
    };
    return new ReadableStream(
      {
        start: (controller) => controller.enqueue(Buffer.from(first)),
        pull: async (controller) => {
          await turn();
          const next = await rest.next().catch(cut);
          if (next === undefined) return;
          if (next.done === true) controller.close();
          else controller.enqueue(Buffer.from(next.value));
        },
        cancel: () => void rest.return(),
      },
      { highWaterMark: 0 },
    );
  };

  return async (c: Context<RestEnv>, fileName: string, journal: Journal): Promise<Response> => {
    const headers = {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${fileName}"`,
    };
    // Its answer has no body, which nothing would read.
    if (c.req.method === 'HEAD') return c.body(null, 200, headers);
    await takePlace(c.var.principal.project.id, c.env.outgoing, tuning.exportWaitMs);
    const pages = journalTable(journal);
    const first = await pages.next();
    return c.body(streamOf(c, first.value ?? '', pages), 200, headers);
  };
};
export type Exports = ReturnType<typeof createExports>;
