import type { Server } from '../api.ts';
import { useTexts } from '../i18n.ts';
import type { MessageKey } from '../messages/en.ts';
import { isNew, isStuck } from './server-trouble.ts';

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

/** The unusual states of a server. */
export const ServerState = ({ server }: { server: Server }) => {
  const { t } = useTexts();
  return statesOf(server).map(({ word, ink }) => (
    <span key={word} className={`state ${ink}`}>
      {t(word)}
    </span>
  ));
};
