import { expect, it } from 'vitest';
import { routeCases } from '../../kit/routes.ts';
import { pathOf, shareTenants } from '../../kit/tenants.ts';

const newTenants = shareTenants();
const changes = (await routeCases()).filter(([, { method }]) => method !== 'GET');

/** How clients send a request without a body. */
const WITHOUT: Record<string, string>[] = [
  { 'Content-Length': '0' },
  { 'Content-Length': '0', 'Content-Type': 'application/json' },
  { 'Content-Length': '0', 'Content-Type': 'text/plain' },
  { 'Transfer-Encoding': 'chunked' },
];

it.each(changes)('%s without a body is answered as documented', async (_name, route) => {
  const { own, call } = await newTenants();
  // The caller holds every answer against the document, and none may be a failure of the hub.
  for (const headers of WITHOUT) {
    await call({ method: route.method, path: pathOf(route, own), headers: { ...route.headers, ...headers } });
  }
});

it('runs a custom command without parameters', async () => {
  const { own, call } = await newTenants();
  const path = `/api/v2/bridge/${own.bridge}/actions/revive`;
  for (const headers of WITHOUT) expect((await call({ method: 'POST', path, headers })).status).toBe(200);
});
