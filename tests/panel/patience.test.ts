import { QueryClient } from '@tanstack/react-query';
import { expect, it, onTestFinished, vi } from 'vitest';
import { forgetPerson } from '../../panel/src/forget.ts';
import { fetchPatiently } from '../../panel/src/patience.ts';

it('an action that waits for the limit of requests never goes with the cookie of the next person', async () => {
  const refusal = { status: 429, headers: { 'Retry-After': '600' } };
  const send = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(() => Promise.resolve(Response.json({ code: 'rate_limited' }, refusal)));
  onTestFinished(() => send.mockRestore());
  let answer: number | undefined;
  void fetchPatiently(new Request('http://hub/api/v2/bridge/main/money', { method: 'POST' })).then(({ status }) => {
    answer = status;
  });
  await vi.waitFor(() => {
    forgetPerson(new QueryClient());
    expect(answer).toBe(429);
  });
  expect(send).toHaveBeenCalledTimes(1);
});
