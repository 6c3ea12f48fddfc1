import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Integration } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Button } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { ServerName } from '../parts/server-state.tsx';
import { Empty, Loaded } from '../parts/state.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Foreign, isolated } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { useShops } from '../queries.ts';
import { ShopSheet } from '../shops/shop-sheet.tsx';

const useColumns = (): Column<Integration>[] => {
  const { t, number, count } = useTexts();
  return [
    {
      head: t('common.name'),
      className: 'name',
      cell: ({ id, name }) => (
        <Link to="/shops/$id" params={{ id }}>
          <Foreign>{name}</Foreign>
        </Link>
      ),
    },
    {
      head: t('shops.staff'),
      width: 136,
      cell: ({ id, unmatched }) =>
        unmatched === 0 ? null : (
          <Link to="/shops/$id" params={{ id }} className="ask">
            {count('shops.unmatched', unmatched)}
          </Link>
        ),
    },
    { head: t('shops.kind'), width: 160, cell: ({ kind }) => t(`shops.kind.${kind}`) },
    {
      head: t('common.server'),
      width: 160,
      className: 'from-1024',
      cell: ({ serverId }) => <ServerName id={serverId} />,
    },
    {
      head: t('shops.packages'),
      width: 96,
      className: 'number from-768',
      cell: ({ packages }) => number(Object.keys(packages).length),
    },
    {
      head: t('shops.changed'),
      width: 136,
      className: 'from-1600',
      cell: ({ updatedAt }) => <Ago iso={updatedAt} />,
    },
    {
      head: t('table.state'),
      width: 240,
      className: 'from-1024',
      cell: ({ wrongSignatures: wrong }) =>
        wrong.count === 0 ? null : <span className="state bad">{count('shops.wrong', wrong.count)}</span>,
    },
  ];
};

export const ShopsPage = () => {
  const { t } = useTexts();
  const client = useQueryClient();
  const navigate = useNavigate();
  const shops = useShops();
  const columns = useColumns();
  const [isOpen, setOpen] = useState(false);
  return (
    <Page
      title={t('nav.shops')}
      actions={
        <Button isMain onClick={() => setOpen(true)}>
          {t('shops.add')}
        </Button>
      }
    >
      <Loaded query={shops}>
        {(known) => (
          <Table
            label={t('nav.shops')}
            columns={columns}
            rows={known}
            keyOf={({ id }) => id}
            nameOf={({ name }) => isolated(name)}
            empty={<Empty title={t('shops.none')} hint={t('shops.noneHint')} />}
          />
        )}
      </Loaded>
      {isOpen ? (
        <ShopSheet
          onMade={({ id }) => {
            void client.invalidateQueries({ queryKey: ['shops'] });
            void navigate({ to: '/shops/$id', params: { id }, ignoreBlocker: true });
          }}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </Page>
  );
};
