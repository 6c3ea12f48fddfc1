import { expect, it } from 'vitest';
import { SLOW } from '../../kit/cli.ts';
import { examine, withHub } from '../../kit/doctor.ts';
import { createClient } from '../../kit/hub-client.ts';
import { connectShop, SECRET } from '../../kit/shop.ts';

it('causeway doctor warns of a secret of a shop that is stored in clear', SLOW, async () => {
  const { place, hub, port } = await withHub();
  const { of } = await examine(place, { PORT: port });
  expect(of('shops')).toMatchObject({ status: 'ok' });
  await connectShop({ request: createClient(hub, hub.key) }, 'orders', {});
  const { of: next, stdout } = await examine(place, { PORT: port });
  expect(next('shops')).toMatchObject({ status: 'warn', text: expect.stringContaining('set SECRET_KEY') });
  expect(stdout).not.toContain(SECRET);
});
