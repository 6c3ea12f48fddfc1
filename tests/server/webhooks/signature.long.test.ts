import { expect, it } from 'vitest';
import { newSigningSecret, signedHeaders } from '../../../server/webhooks/signature.ts';
import { type Got, signaturesBy } from '../../kit/receiver.ts';
// A tool of tests/: `npm test` needs none.
import { Webhook } from '../../node_modules/standardwebhooks/dist/index.js';

const BODY = '{"id":"evt_1","name":"Zoë 😀"}';

it('the package standardwebhooks verifies what the hub signs, with each secret that is valid', () => {
  const [fresh, before, other] = [newSigningSecret(), newSigningSecret(), newSigningSecret()];
  const headers = signedHeaders([fresh, before], { id: 'evt_1', at: Date.now(), body: BODY });
  expect(new Webhook(fresh).verify(BODY, headers)).toEqual(JSON.parse(BODY));
  expect(new Webhook(before).verify(BODY, headers)).toEqual(JSON.parse(BODY));
  expect(() => new Webhook(other).verify(BODY, headers)).toThrow();
  expect(() => new Webhook(fresh).verify(`${BODY} `, headers)).toThrow();
  const old = signedHeaders([fresh], { id: 'evt_1', at: Date.now() - 3_600_000, body: BODY });
  expect(() => new Webhook(fresh).verify(BODY, old)).toThrow();
});

it('the receiver of the other tests accepts what that package signs', () => {
  const secret = newSigningSecret();
  const at = new Date();
  const headers = {
    'webhook-timestamp': `${Math.floor(at.getTime() / 1_000)}`,
    'webhook-signature': new Webhook(secret).sign('evt_1', at, BODY),
  };
  const got: Got = { id: 'evt_1', headers, text: BODY, path: '/' };
  expect(signaturesBy(secret, got)).toBe(1);
  expect(signaturesBy(newSigningSecret(), got)).toBe(0);
});
