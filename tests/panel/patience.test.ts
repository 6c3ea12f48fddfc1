import { expect, it, onTestFinished, vi } from 'vitest';

/** Its types would bring those of React, which stand for elements of a page in tests that have none of their own. */
type Patience = { fetchPatiently: (request: Request) => Promise<Response>; giveUpParked: () => void };
const file = '../../panel/src/patience.ts';
const { fetchPatiently, giveUpParked } = (await import(file)) as Patience;

it('an action that waits for the limit of requests is not sent once it is given up', async () => {
  const refusal = { status: 429, headers: { 'Retry-After': '600' } };
  const send = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(() => Promise.resolve(Response.json({ code: 'rate_limited' }, refusal)));
  onTestFinished(() => send.mockRestore());
  let answer: number | undefined;
  void fetchPatiently(new Request('http://hub/api/v2/bridge/main/money', { method: 'POST' })).then(({ status }) => {
    answer = status;
  });
  const giveUp = (): number | undefined => {
    // As when the person signs out.
    giveUpParked();
    return answer;
  };
  await expect.poll(giveUp).toBe(429);
  expect(send).toHaveBeenCalledTimes(1);
});
