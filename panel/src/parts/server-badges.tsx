import { Badge } from '@mantine/core';
import type { Server } from '../api.ts';
import { useTexts } from '../i18n.ts';

/** A game thread that takes longer than this for a turn holds everything up. */
const STUCK_MS = 1_000;

export const isStuck = ({ bridge }: Server): boolean => (bridge?.tickMs ?? 0) > STUCK_MS;

/** It was added, and its game server has not been here yet. */
export const isNew = ({ connected, lastConnectedAt }: Server): boolean => !connected && lastConnectedAt === null;

/** How a server is, in a few words. */
export const ServerBadges = ({ server }: { server: Server }) => {
  const { t } = useTexts();
  const { bridge, disabled, connected } = server;
  const database = bridge?.database;
  const status = database?.status;
  return (
    <span className="row">
      {disabled ? (
        <Badge color="gray" variant="light">
          {t('server.disabled')}
        </Badge>
      ) : (
        <Badge color={connected ? 'green' : isNew(server) ? 'gray' : 'red'} variant="light">
          {t(connected ? 'server.connected' : isNew(server) ? 'servers.never' : 'server.disconnected')}
        </Badge>
      )}
      {bridge?.draining === true ? (
        <Badge color="yellow" variant="light">
          {t('server.draining')}
        </Badge>
      ) : null}
      {isStuck(server) ? (
        <Badge color="red" variant="light">
          {t('server.stuck')}
        </Badge>
      ) : null}
      {status === 'pass' || status === 'warn' || status === 'fail' ? (
        <Badge color={status === 'pass' ? 'green' : 'red'} variant="light">
          {t('server.database', { status: t(`server.database.${status}`) })}
        </Badge>
      ) : null}
    </span>
  );
};
