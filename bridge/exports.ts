import type { Bridge } from '../bridge-protocol/client/bridge.ts';
import type { ResourceCommands } from './custom.ts';
import { addExport, convar, emitEvent, invokingResource } from './natives.ts';
import { VERSION } from './version.ts';

/** Told to other resources when they may offer commands, at this start and at every later one. */
const READY = 'causeway:ready';

/** The address without what may be secret in it. */
const hostOf = (url: string): string => {
  try {
    return new URL(url).host;
  } catch {
    return '';
  }
};

/**
 * What other resources may use: `registerCommand(name, schema, handler)` and `getState()`. Neither moves money, and none
 * tells anything that is secret.
 */
export const offerExports = ({
  resources,
  bridge,
}: {
  resources: ResourceCommands;
  bridge: () => Bridge | undefined;
}): void => {
  addExport('registerCommand', (name: unknown, schema: unknown, handler: unknown) =>
    resources.register(invokingResource(), name, schema, handler),
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
  emitEvent(READY);
};
