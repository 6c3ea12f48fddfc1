import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Integration, Schemas, Server } from '../api.ts';
import { type Texts, useTexts } from '../i18n.ts';
import { useMay } from '../session.ts';
import { nameOf, useWebhooks } from '../webhooks/webhook.ts';
import { isNew, isStuck } from './server-state.tsx';
import { Foreign, isolated } from './text.tsx';

type Need = { key: string; ink: 'ask' | 'bad' | 'wait' | 'dim'; says: ReactNode; link: ReactNode };

/** As many lines are shown until all are wanted. */
const FIRST = 10;

/** The troubles of a server; `isAway` comes before the others. */
const ofServer = ({ t, number }: Texts, server: Server): (Need & { isAway?: boolean })[] => {
  const { disabled, connected, bridge, serverId } = server;
  const name = isolated(server.name);
  const params = { serverId };
  const need = (ink: Need['ink'], says: string, link: ReactNode) => ({ key: `${serverId} ${says}`, ink, says, link });
  if (disabled) {
    const link = <Link to="/servers">{t('attention.enable')}</Link>;
    return [need('dim', t('attention.disabled', { server: name }), link)];
  }
  if (isNew(server)) {
    const link = (
      <Link to="/servers/$serverId/connect" params={params}>
        {t('attention.install')}
      </Link>
    );
    return [need('dim', t('attention.never', { server: name }), link)];
  }
  const show = (
    <Link to="/servers/$serverId" params={params}>
      {t('attention.open')}
    </Link>
  );
  if (!connected) return [{ ...need('bad', t('attention.offline', { server: name }), show), isAway: true }];
  const wait = (isSo: boolean, says: string): Need[] => (isSo ? [need('wait', says, show)] : []);
  return [
    ...wait(bridge?.draining === true, t('attention.draining', { server: name })),
    ...wait(isStuck(server), t('attention.stuck', { server: name, ms: number(bridge?.tickMs ?? 0) })),
    ...wait(['warn', 'fail'].includes(bridge?.database?.status ?? ''), t('attention.database', { server: name })),
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
  const open = t('attention.open');
  const inDoubt = (
    <Link to="/journal" search={{ status: 'indeterminate', range: 'custom' }}>
      {open}
    </Link>
  );
  const ofWebhooks = (
    <>
      {count('attention.webhooks', webhooks)} <Foreign>{troubled.join(', ')}</Foreign>
    </>
  );
  const some = (isSo: boolean, ink: Need['ink'], key: string, says: ReactNode, link: ReactNode): Need[] =>
    isSo ? [{ key, ink, says, link }] : [];
  const needs: Need[] = [
    ...some(unknown > 0, 'ask', 'unknown', count('attention.indeterminate', unknown), mayRead && inDoubt),
    ...ofShops(texts, shops),
    ...ofServers.filter(({ isAway }) => isAway),
    ...some(runs > 0, 'wait', 'runs', count('attention.notMade', runs), mayRead && <Link to="/schedules">{open}</Link>),
    ...some(webhooks > 0, 'bad', 'webhooks', ofWebhooks, may('webhooks:write') && <Link to="/webhooks">{open}</Link>),
    ...some(hasFailedBackup, 'bad', 'backup', t('attention.backup'), <Link to="/project">{open}</Link>),
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
