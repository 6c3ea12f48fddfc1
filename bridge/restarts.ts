import type { Bridge } from '../bridge-protocol/client/bridge.ts';
import { onEvent, resourceName } from './natives.ts';

/** From this time before a scheduled restart, frameworks lock inventories and accounts. */
const LAST_SECONDS = 60;

/** Tells the hub that the server is about to stop, and closes the connection properly when this resource stops. */
export const watchRestarts = ({ bridge, ended }: { bridge: Pick<Bridge, 'draining' | 'stop'>; ended: () => void }) => {
  onEvent('txAdmin:events:scheduledRestart', (event: { secondsRemaining?: number } | undefined) => {
    if ((event?.secondsRemaining ?? Number.POSITIVE_INFINITY) <= LAST_SECONDS) bridge.draining(true);
  });
  onEvent('txAdmin:events:scheduledRestartSkipped', () => bridge.draining(false));
  onEvent('txAdmin:events:serverShuttingDown', () => bridge.draining(true));
  onEvent('onResourceStop', (name: unknown) => {
    if (name !== resourceName()) return;
    void bridge.stop('The game server stops.');
    ended();
  });
};
