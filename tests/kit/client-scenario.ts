import { ANA, PAY } from './stage.ts';

/**
 * A module that uses all that the platforms of the client do differently: requests, aborts, streams, cryptography. It
 * exports `play`, which resolves with what it saw.
 */
export const scenarioOf = (client: string): string => `
import { createHub, HubProblem, verifyWebhook } from '${client}';

export const play = async (url, apiKey) => {
  const hub = createHub({ url, apiKey });
  const payment = { serverId: 'main', target: '${ANA}', type: 'bank', amount: ${PAY}, action: 'add' };
  const words = [];
  const said = (...more) => words.push(more.join(' '));

  const paid = await hub.money({ ...payment, key: 'order-1' });
  said(paid.happened, paid.command.result.after);
  said((await hub.money({ ...payment, key: 'order-1' })).command.id === paid.command.id);
  const refused = await hub.money({ ...payment, action: 'remove', amount: 1_000_000 });
  said(refused.happened, refused.reason, refused.problem.balance);
  const away = createHub({ url: 'http://127.0.0.1:1' });
  said((await away.money(payment, { signal: AbortSignal.timeout(200) })).reason);
  said((await away.money(payment, { timeoutMs: 0 })).reason);
  const thrown = await hub.kick({ serverId: 'nowhere', target: 'x' }).catch((error) => error);
  said(thrown instanceof HubProblem, thrown.code);
  for await (const player of hub.listPlayers({ limit: 1 })) said(player.identifier);
  const onOpen = () => void hub.money({ ...payment, key: 'order-2' });
  for await (const event of hub.events({ types: ['command.settled'], onOpen })) {
    said(event.type, event.data.status);
    break;
  }
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const event = await verifyWebhook({ headers, body: '{"test": 2432232314}' }, secret, { now: 1614265330000 });
  said(event.test);
  return words;
};
`;

/** What it sees on every platform. Ana has been paid twice then. */
export const SEEN = [
  `yes ${PAY}`,
  'true',
  `no insufficient_funds ${PAY}`,
  'aborted',
  'no_answer',
  'true server_not_found',
  ANA,
  'command.settled succeeded',
  '2432232314',
];
