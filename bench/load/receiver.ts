import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerQuestions } from '../children.ts';

/** Posts to paths that begin with this get no answer. */
const HANGS = '/hang';

let posts = 0;
let hanging = 0;

/** The process that receives webhooks: it takes each post, or never answers. */
answerQuestions({
  listen: async (): Promise<number> => {
    const server = createServer((request, response) => {
      request.resume();
      if (request.url?.startsWith(HANGS)) {
        hanging += 1;
        return;
      }
      request.once('end', () => {
        posts += 1;
        response.writeHead(204).end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },
  /** How many posts it took since the last call, and how many it left without an answer. */
  posts: (): { taken: number; hanging: number } => {
    const counts = { taken: posts, hanging };
    posts = 0;
    hanging = 0;
    return counts;
  },
});
