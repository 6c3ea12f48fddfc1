import { expect, it } from 'vitest';
import { lentTo, startHub } from '../../kit/hub.ts';
import { startReceiver, tell } from '../../kit/receiver.ts';
import { eventually } from '../../kit/stage.ts';

it('50 webhooks that all hang hold up neither those of another project nor the stop of the hub', async () => {
  const hub = await startHub({ env: { WEBHOOKS_MAY_REACH: '127.0.0.1' } });
  const hanging = await startReceiver(() => 'hang');
  const good = await startReceiver();
  for (let n = 0; n < 50; n += 1) {
    expect((await hub.request('/api/v2/webhooks', { json: { url: hanging.url } })).status).toBe(201);
  }
  const neighbour = await lentTo(hub, 'neighbour');
  expect((await neighbour.request('/api/v2/webhooks', { json: { url: good.url } })).status).toBe(201);
  await tell(hub.store, hub.project.id, [{}, {}]);
  const ids = await tell(
    hub.store,
    neighbour.project.id,
    Array.from({ length: 20 }, () => ({})),
  );
  await eventually(() => good.ids().toSorted()).toEqual(ids.toSorted());
  // Two at a time for each of them.
  await eventually(() => hanging.posts.length).toBe(100);
  const before = performance.now();
  await hub.stop();
  // Each of them would have been waited for 15 seconds.
  expect(performance.now() - before).toBeLessThan(10_000);
});
