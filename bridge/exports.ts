import type { Bridge } from '../bridge-protocol/client/bridge.ts';
import type { ResourceCommands } from './custom.ts';
import { addExport, convar, emitEvent, invokingResource, onEvent, resourceName } from './natives.ts';
import { VERSION } from './version.ts';

/** The event that invites other resources to register commands, sent at each start of the bridge. */
const READY = 'causeway:ready';

/** The address without the parts that may be secret. */
const hostOf = (url: string): string => {
  try {
    return new URL(url).host;
  } catch {
    return '';
  }
};

/**
 * The exports for other resources: `registerCommand(name, schema, handler, roles)` and `getState()`. They cannot move
 * money and do not reveal secrets.
 */
export const offerExports = ({
  resources,
  bridge,
}: {
  resources: ResourceCommands;
  bridge: () => Bridge | undefined;
}): void => {
  addExport('registerCommand', (name: unknown, schema: unknown, handler: unknown, roles: unknown) =>
    resources.register(invokingResource(), name, schema, handler, roles),
  );
  addExport('getState', () => {
    const current = bridge();
    const { id, server } = current?.session ?? {};
    return {
      version: VERSION,
      connected: id !== undefined,
      state: current?.state ?? 'idle',
      hub: hostOf(convar('causeway_url')),
      ...(server === undefined ? {} : { serverId: server }),
      ...(id === undefined ? {} : { session: id }),
      inHand: current?.inHand ?? 0,
      commands: resources.names(),
    };
  });
  // Until this queued event, the exports of other resources lead to the bridge before this start.
  onEvent('onServerResourceStart', (name: unknown) => {
    if (name === resourceName()) emitEvent(READY);
  });
};
