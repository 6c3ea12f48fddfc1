import { coreOf } from './commands.ts';
import type { Core } from './core.ts';
import { operationsOf } from './operations.ts';
import { createTransport, type HubOptions } from './transport.ts';

export * from './core.ts';
export type { CommandOperations, InputOf, Listed, PlainOperations, Stored } from './operations.ts';
export { verifyWebhook, type WebhookEvent, WebhookRefused, type WebhookRequest } from './webhook.ts';

/** A name of its own, so that messages of the compiler stay short. */
export interface Hub extends Core, ReturnType<typeof operationsOf> {}

/**
 * The client for one hub and key: a function for each operation of the hub. It holds no connection and no state.
 * @throws TypeError: `url` is no URL with http or https
 */
export const createHub = (options: HubOptions): Hub => {
  const transport = createTransport(options);
  const core = coreOf(transport);
  return { ...core, ...operationsOf(transport, core) };
};
