// A list of game servers reports each vote here: POST / with {"vote": "77", "player": "discord:1234"} and the secret.
import { createServer } from 'node:http';
import { createHub, HubProblem } from '@causewayhub/client';

const { HUB = 'http://127.0.0.1:8080', KEY, SECRET, PORT = '3000' } = process.env;
if (!KEY || !SECRET) throw new Error('Set KEY to an API key with commands:money, and SECRET to a secret of your own.');
const hub = createHub({ url: HUB, apiKey: KEY });

/**
 * Rewards a vote once, however often it is reported. The answer is the HTTP status: 2xx only if the hub has the reward.
 * @param {{ vote: string, player: string }} report
 */
const reward = async ({ vote, player }) => {
  const outcome = await hub.money(
    {
      serverId: 'main',
      target: player,
      type: 'bank',
      amount: 250,
      action: 'add',
      reason: `Vote ${vote}`,
      deliver: 'when_online',
      key: `vote-${vote}`,
    },
    { timeoutMs: 15_000 },
  );
  console.log(vote, outcome.happened, outcome.reason ?? '');
  switch (outcome.happened) {
    case 'yes':
      return 200;
    case 'waiting':
      return 202;
    case 'no':
      return 409;
    case 'unknown':
      // It is reported again, and the same key finds the first reward.
      return 503;
  }
};

const server = createServer(async (request, response) => {
  try {
    let text = '';
    for await (const chunk of request) {
      text += chunk;
      if (text.length > 10_000) throw new SyntaxError('too large');
    }
    if (request.method !== 'POST' || request.headers['x-secret'] !== SECRET) return response.writeHead(403).end();
    const { vote, player } = JSON.parse(text);
    if (typeof vote !== 'string' || !/^[\w-]{1,100}$/.test(vote) || typeof player !== 'string')
      throw new SyntaxError('fields');
    response.writeHead(await reward({ vote, player })).end();
  } catch (error) {
    console.error(error instanceof HubProblem ? error.code : error);
    response.writeHead(error instanceof SyntaxError ? 400 : 500).end();
  }
});
server.listen(Number(PORT), () => console.log('Votes arrive at port', Object(server.address()).port));
