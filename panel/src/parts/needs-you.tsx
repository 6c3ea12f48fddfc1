import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Integration, Schemas, Server } from '../api.ts';
import { type Texts, useTexts } from '../i18n.ts';
import { useMay } from '../session.ts';
import { nameOf, useWebhooks } from '../webhooks/webhook.ts';
import { isNew, isStuck } from './server-state.tsx';
import { Foreign, isolated } from './text.tsx';

type Need = { key: string; ink: 'ask' | 'bad' | 'wait' | 'dim'; says: ReactNode; link?: ReactNode };

/** As many lines are shown until all are wanted. */
const FIRST = 10;

/** The troubles of a server; `isAway` comes before the others. */
const ofServer = ({ t, number }: Texts, server: Server): (Need & { isAway: boolean })[] => {
  const { disabled, connected, bridge, serverId } = server;
  const name = isolated(server.name);
  const need = (ink: Need['ink'], says: string, isAway = false, link: ReactNode = undefined) => [
    { key: `${serverId} ${says}`, ink, says, isAway, ...(link !== undefined && { link }) },
  ];
  const show = (
    <Link to="/servers/$serverId" params={{ serverId }}>
      {t('attention.open')}
    </Link>
  );
  if (disabled) {
    return need(
      'dim',
      t('attention.disabled', { server: name }),
      false,
      <Link to="/servers">{t('attention.enable')}</Link>,
    );
  }
  if (isNew(server)) {
    const link = (
      <Link to="/servers/$serverId/connect" params={{ serverId }}>
        {t('attention.install')}
      </Link>
    );
    return need('dim', t('attention.never', { server: name }), false, link);
  }
  if (!connected) return need('bad', t('attention.offline', { server: name }), true, show);
  return [
    ...(bridge?.draining === true ? need('wait', t('attention.draining', { server: name }), false, show) : []),
    ...(isStuck(server)
      ? need('wait', t('attention.stuck', { server: name, ms: number(bridge?.tickMs ?? 0) }), false, show)
      : []),
    ...(['warn', 'fail'].includes(bridge?.database?.status ?? '')
      ? need('wait', t('attention.database', { server: name }), false, show)
      : []),
  ];
};

const ofShops = ({ t, count }: Texts, shops: readonly Integration[]): Need[] =>
  shops
    .filter(({ unmatched }) => unmatched > 0)
    .map(({ id, name, unmatched }) => ({
      key: id,
      ink: 'ask',
      says: (
        <>
          <Foreign>{name}</Foreign>: {count('attention.shop', unmatched)}
        </>
      ),
      link: (
        <Link to="/shops/$id" params={{ id }}>
          {t('attention.open')}
        </Link>
      ),
    }));

/** The list of things that wait for a person, the most urgent first: one line each. */
export const NeedsYou = ({
  servers,
  shops,
  project: { attention },
  hasFailedBackup,
}: {
  servers: readonly Server[];
  shops: readonly Integration[];
  project: Schemas['Project'];
  hasFailedBackup: boolean;
}) => {
  const texts = useTexts();
  const may = useMay();
  const { t, count, number } = texts;
  const [isWhole, setWhole] = useState(false);
  const { unknown, runs, webhooks } = attention;
  const ofServers = servers.flatMap((server) => ofServer(texts, server));
  const mayRead = may('commands:read');
  const { data: hooks = [] } = useWebhooks(webhooks > 0);
  const troubled = hooks.filter((each) => each.troubled).map(nameOf);
  const needs: Need[] = [
    ...(unknown === 0
      ? []
      : [
          {
            key: 'unknown',
            ink: 'ask' as const,
            says: count('attention.indeterminate', unknown),
            link: mayRead ? (
              <Link to="/journal" search={{ status: 'indeterminate', range: 'custom' }}>
                {t('attention.open')}
              </Link>
            ) : undefined,
          },
        ]),
    ...ofShops(texts, shops),
    ...ofServers.filter(({ isAway }) => isAway),
    ...(runs === 0
      ? []
      : [
          {
            key: 'runs',
            ink: 'wait' as const,
            says: count('attention.notMade', runs),
            link: mayRead ? <Link to="/schedules">{t('attention.open')}</Link> : undefined,
          },
        ]),
    ...(webhooks === 0
      ? []
      : [
          {
            key: 'webhooks',
            ink: 'bad' as const,
            says: (
              <>
                {count('attention.webhooks', webhooks)} <Foreign>{troubled.join(', ')}</Foreign>
              </>
            ),
            link: may('webhooks:write') ? <Link to="/webhooks">{t('attention.open')}</Link> : undefined,
          },
        ]),
    ...(hasFailedBackup
      ? [
          {
            key: 'backup',
            ink: 'bad' as const,
            says: t('attention.backup'),
            link: <Link to="/project">{t('attention.open')}</Link>,
          },
        ]
      : []),
    ...ofServers.filter(({ isAway }) => !isAway),
  ];
  return (
    <section aria-label={t('dashboard.attention')} aria-live="polite">
      {needs.length === 0 ? <p className="attention dim">{t('dashboard.fine')}</p> : null}
      <ul className="attention">
        {(isWhole ? needs : needs.slice(0, FIRST)).map(({ key, ink, says, link }) => (
          <li key={key}>
            <span className={`sign ${ink}`} aria-hidden="true" />
            <span className="says">{says}</span>
            {link}
          </li>
        ))}
      </ul>
      {isWhole || needs.length <= FIRST ? null : (
        <button type="button" className="number" onClick={() => setWhole(true)}>
          {t('player.showAll', { count: number(needs.length) })}
        </button>
      )}
    </section>
  );
};
