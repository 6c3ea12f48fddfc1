import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { Context } from 'hono';
import { createTurns } from '../../db/turns.ts';
import { type Journal, journalTable } from '../commands/view.ts';
import { type HubError, rateLimited } from '../platform/errors.ts';
import { asHubError } from './answer.ts';
import { ClientClosedError, type RestDeps, type RestEnv } from './request.ts';

const BUSY = 'Another export of the project is under way, and no more than one may.';

/** One export of a project runs at a time: the next caller waits. */
const createPlaces = () => {
  const inTurn = createTurns();

  /** Takes the place until the response is closed. @throws HubError rate_limited, ClientClosedError */
  return (projectId: string, response: ServerResponse, waitMs: number): Promise<void> =>
    new Promise((resolve, reject) => {
      let hasLeft = response.closed;
      const leave = (error: HubError | ClientClosedError): void => {
        hasLeft = true;
        reject(error);
      };
      if (hasLeft) return reject(new ClientClosedError());
      const timer = setTimeout(() => leave(rateLimited(BUSY, 10)), waitMs);
      const closed = new Promise<void>((close) => response.once('close', close)).then(() => {
        clearTimeout(timer);
        leave(new ClientClosedError());
      });
      void inTurn(projectId, async () => {
        clearTimeout(timer);
        if (hasLeft) return;
        resolve();
        await closed;
      });
    });
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
