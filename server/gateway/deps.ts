import type { HubParts } from '../parts/parts.ts';

/** The parts of the hub that the gateway needs. */
export type GatewayDeps = Pick<
  HubParts,
  | 'store'
  | 'router'
  | 'bus'
  | 'membership'
  | 'commands'
  | 'players'
  | 'credentials'
  | 'events'
  | 'metrics'
  | 'background'
  | 'config'
  | 'tuning'
  | 'log'
  | 'phase'
  | 'now'
>;
