import { Badge } from '@mantine/core';
import type { Server } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { isNew, isStuck } from '../parts/server-trouble.ts';
import { isolated } from '../parts/text.tsx';

/** What is not normal about a server; nothing for one that is connected and well. */
export const ServerState = ({ server }: { server: Server }) => {
  const { t } = useTexts();
  const { bridge, disabled, connected } = server;
  const status = bridge?.database?.status;
  const badges = [
    ...(disabled ? [['gray', t('server.disabled')]] : []),
    ...(disabled || connected
      ? []
      : [isNew(server) ? ['gray', t('servers.never')] : ['red', t('server.disconnected')]]),
    ...(bridge?.draining === true ? [['yellow', t('server.draining')]] : []),
    ...(isStuck(server) ? [['red', t('server.stuck')]] : []),
    ...(status === 'warn' || status === 'fail'
      ? [['red', t('server.database', { status: t(`server.database.${status}`) })]]
      : []),
  ] as [color: string, says: string][];
  if (badges.length === 0) return null;
  return (
    <span className="row">
      {badges.map(([color, says]) => (
        <Badge key={says} color={color} variant="light">
          {says}
        </Badge>
      ))}
    </span>
  );
};

/** What a connected server runs, in one line; empty while it is not connected. */
export const softwareOf = ({ bridge, connected }: Server): string => {
  if (bridge === null || !connected) return '';
  const { name, version } = bridge.software;
  return [name, version]
    .filter((each) => each !== undefined)
    .map((each) => isolated(String(each)))
    .join(' ');
};
