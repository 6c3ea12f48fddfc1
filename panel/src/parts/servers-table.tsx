import { useState } from 'react';
import type { Server } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { useServerColumns } from '../servers/columns.tsx';
import type { Statistics } from '../statistics.ts';
import { statesOf } from './server-state.tsx';
import { Table } from './table.tsx';

/** The number of normal servers in the table until the user asks for all. */
const FIRST = 10;

const isNormal = (server: Server): boolean =>
  statesOf(server).length === 0 && !['warn', 'fail'].includes(server.bridge?.database?.status ?? '');

/** The servers, those that are not normal first. */
export const ServersTable = ({
  servers,
  statistics,
}: {
  servers: readonly Server[];
  statistics: Statistics | undefined;
}) => {
  const { t, number } = useTexts();
  const [isWhole, setWhole] = useState(false);
  const columns = useServerColumns(new Map(statistics?.servers?.map(({ serverId, online }) => [serverId, online])));
  const normal = servers.filter(isNormal);
  const shown = [...servers.filter((server) => !isNormal(server)), ...(isWhole ? normal : normal.slice(0, FIRST))];
  return (
    <section>
      <Table
        label={t('dashboard.servers')}
        columns={columns}
        rows={shown}
        keyOf={({ serverId }) => serverId}
        nameOf={({ name }) => name}
        rowClass="server"
      />
      {shown.length < servers.length ? (
        <button type="button" className="number" onClick={() => setWhole(true)}>
          {t('dashboard.allServers', { count: number(servers.length) })}
        </button>
      ) : null}
    </section>
  );
};
