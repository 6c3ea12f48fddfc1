import { expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { connectShop, orderSignature, SECRET } from '../../kit/shop.ts';

const DEPTH = 20_000;
const NESTED = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
const ADDRESS = { serverId: 'main', server_id: 'main', id: 'x', lineId: 'x', name: 'x', kind: 'items' };

type Operation = { requestBody?: object };

/** Each address that takes a body, of the API's own list. */
const addresses = (document: { paths: Record<string, Record<string, Operation>> }) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) =>
      requestBody === undefined
        ? []
        : [
            {
              method: method.toUpperCase(),
              path: path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof ADDRESS) => ADDRESS[name]),
            },
          ],
    ),
  );

it('20,000 nested brackets are a fault of the caller at each address that takes a body', async () => {
  const hub = await startHub();
  const shop = await connectShop(hub, 'orders', {});
  const document = (await hub.request('/api/v2/openapi.json')).body as unknown as Parameters<typeof addresses>[0];
  const all = addresses(document).filter(({ path }) => !/\/(tebex|orders)$/.test(path));
  expect(all.length).toBeGreaterThan(25);
  for (const { method, path } of all) {
    const bodies = [NESTED, `{"params":${NESTED}}`, `{"packages":{"x":[{"name":"money","params":{"x":${NESTED}}}]}}`];
    for (const body of bodies) {
      const answer = await hub.request(path, { method, body, headers: { 'Content-Type': 'application/json' } });
      expect({ path, method, status: answer.status, code: answer.body.code }).toEqual({
        path,
        method,
        status: 422,
        code: 'invalid_request',
      });
    }
  }
  const body = `{"id":"o1","type":"paid","buyer":${NESTED}}`;
  const signed = await shop.post(body, { 'X-Causeway-Signature': orderSignature(body, SECRET) });
  expect(signed).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
});
