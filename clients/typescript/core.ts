import { coreOf } from './commands.ts';
import { createTransport, type HubOptions } from './transport.ts';

export type { ActionInput, CommandInput, CommandName } from './commands.ts';
export type { EventOptions, EventType, HubEvent } from './events.ts';
export { type Command, type Happened, newKey, type Outcome, type UntilOptions } from './outcome.ts';
export { type ErrorCode, HubProblem, HubUnreachable, type Problem } from './problem.ts';
export type { Method, PathsWith, RequestParts, ResultOf } from './request.ts';
export type { CallOptions, HubOptions } from './transport.ts';

/**
 * The core of the client for one hub and key: commands with an outcome that cannot be misread, their end, events, and any
 * other request. `createHub` of the main entry adds a function for each operation. @throws TypeError: `url` is no URL with http or https
 */
export const createCore = (options: HubOptions) => coreOf(createTransport(options));
export type Core = ReturnType<typeof createCore>;
