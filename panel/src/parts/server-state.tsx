import type { Server } from '../api.ts';
import { useTexts } from '../i18n.ts';
import type { MessageKey } from '../messages/keys.ts';
import { useServerNames } from '../queries.ts';
import { Foreign, isolated } from './text.tsx';

/** A game thread that takes longer than this for a turn holds everything up. */
const STUCK_MS = 1_000;

export const isStuck = ({ bridge }: Server): boolean => (bridge?.tickMs ?? 0) > STUCK_MS;

/** It was added, and its game server has not been here yet. */
export const isNew = ({ connected, lastConnectedAt }: Server): boolean => !connected && lastConnectedAt === null;

/** The unusual states of a server, with their ink. */
export const statesOf = (server: Server): { word: MessageKey; ink: string }[] => {
  const { bridge, disabled, connected } = server;
  if (disabled) return [{ word: 'server.disabled', ink: 'dim' }];
  if (isNew(server)) return [{ word: 'servers.never', ink: 'dim' }];
  if (!connected) return [{ word: 'server.disconnected', ink: 'bad' }];
  return [
    ...(bridge?.draining === true ? [{ word: 'server.draining' as const, ink: 'wait' }] : []),
    ...(isStuck(server) ? [{ word: 'server.stuck' as const, ink: 'wait' }] : []),
  ];
};

export const ServerState = ({ server }: { server: Server }) => {
  const { t } = useTexts();
  return statesOf(server).map(({ word, ink }) => (
    <span key={word} className={`state ${ink}`}>
      {t(word)}
    </span>
  ));
};

/** The name of a server; for a key that may not see servers, its id. */
export const ServerName = ({ id }: { id: string }) => <Foreign>{useServerNames().get(id) ?? id}</Foreign>;

/** The software of a connected server, in one line; empty while it is not connected. */
export const softwareOf = ({ bridge, connected }: Server): string => {
  if (bridge === null || !connected) return '';
  const { name, version } = bridge.software;
  return [name, version]
    .filter((each) => each !== undefined)
    .map((each) => isolated(String(each)))
    .join(' ');
};
