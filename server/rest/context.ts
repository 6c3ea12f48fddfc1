import type { HttpBindings } from '@hono/node-server';
import type { Principal } from '../auth/credentials.ts';
import type { HubParts } from '../parts/parts.ts';

/** The parts of the hub for routes. */
export type RestDeps = Omit<HubParts, 'bus' | 'membership' | 'now' | 'node'>;

/** Variables that the middleware sets for routes. */
export type RestEnv = {
  Bindings: HttpBindings;
  Variables: { requestId: string; principal: Principal; readBody: () => unknown; isSigned?: true };
};
