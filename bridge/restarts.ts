import type { Bridge } from '../bridge-protocol/client/bridge.ts';
import { onEvent, resourceName } from './natives.ts';

/** From this time before a scheduled restart, frameworks lock inventories and accounts. */
const LAST_SECONDS = 60;

/** Tells the hub that the server is about to stop, and closes the connection properly when this resource stops. */
export const watchRestarts = ({
  bridge,
  restarts,
  ended,
}: {
  bridge: Pick<Bridge, 'draining' | 'stop' | 'reportStatus'>;
  /** Notes the announced restart, epoch milliseconds; 0: there is none. */
  restarts: (at: number) => void;
  ended: () => void;
}) => {
  const note = (at: number): void => {
    restarts(at);
    bridge.reportStatus();
  };
  onEvent('txAdmin:events:scheduledRestart', (event: { secondsRemaining?: number } | undefined) => {
    const seconds = event?.secondsRemaining ?? Number.POSITIVE_INFINITY;
    if (Number.isFinite(seconds)) note(Date.now() + seconds * 1000);
    if (seconds <= LAST_SECONDS) bridge.draining(true);
  });
  onEvent('txAdmin:events:scheduledRestartSkipped', () => {
    note(0);
    bridge.draining(false);
  });
  onEvent('txAdmin:events:serverShuttingDown', () => bridge.draining(true));
  onEvent('onResourceStop', (name: unknown) => {
    if (name !== resourceName()) return;
    void bridge.stop('The game server stops.');
    ended();
  });
};
