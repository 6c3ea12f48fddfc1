import { coreOf } from './commands.ts';
import { operationsOf } from './operations.ts';
import { createTransport, type HubOptions } from './transport.ts';

export * from './core.ts';
export type { CommandOperations, InputOf, Listed, PlainOperations } from './operations.ts';
export type { Stored } from './stored.ts';
export { verifyWebhook, type WebhookEvent, WebhookRefused, type WebhookRequest } from './webhook.ts';

/**
 * The client for one hub and key: a function for each operation of the hub. It holds no connection and no state.
 * @throws TypeError: `url` is no URL
 */
export const createHub = (options: HubOptions) => {
  const transport = createTransport(options);
  const core = coreOf(transport);
  return { ...core, ...operationsOf(transport, core) };
};
export type Hub = ReturnType<typeof createHub>;
