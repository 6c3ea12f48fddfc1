import { Badge } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { LastBackup } from '../parts/last-backup.tsx';
import { Page } from '../parts/page.tsx';
import { Loaded } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { Usage } from '../parts/usage.tsx';
import { useHealth, useProject } from '../queries.ts';
import { useMay } from '../session.ts';

const COLORS = { pass: 'green', warn: 'yellow', fail: 'red' } as const;
type Health = Schemas['Health'];

const HealthCard = ({ health }: { health: Health }) => {
  const { t, rich, number } = useTexts();
  const may = useMay();
  const { bridges } = health;
  const since = new Date(Date.now() - health.api.uptimeSeconds * 1000).toISOString();
  return (
    <section className="card stack">
      <h2>{t('project.health')}</h2>
      <div>
        <Badge color={COLORS[health.status]} variant="light">
          {t(`project.health.${health.status}`)}
        </Badge>
      </div>
      <ul className="plain">
        {health.databases.map(({ name, engine, status, latencyMs }) => (
          <li key={name} className="row between">
            <span>
              <Foreign>{name}</Foreign>{' '}
              <span className="dim small">
                <Foreign>{engine}</Foreign>
              </span>
            </span>
            <span className="row">
              {latencyMs === null ? null : (
                <span className="dim small">{t('project.answers', { ms: number(latencyMs) })}</span>
              )}
              <Badge color={COLORS[status]} variant="light">
                {t(`server.database.${status}`)}
              </Badge>
            </span>
          </li>
        ))}
      </ul>
      <p>
        {t('project.bridges', { connected: number(bridges.connected), total: number(bridges.total) })}{' '}
        {may('servers:read') && bridges.connected < bridges.total ? (
          <Link to="/servers">{t('attention.open')}</Link>
        ) : null}
      </p>
      <LastBackup health={health} />
      <p className="dim small">
        {rich('project.version', { version: health.api.version, time: <Ago key="time" iso={since} /> })}
      </p>
    </section>
  );
};

/** The project: its limit, its contents, and the health of the hub. */
export const ProjectPage = () => {
  const { t, number } = useTexts();
  const project = useProject();
  const health = useHealth();
  return (
    <Page title={t('project.title')}>
      <div className="grid">
        <Loaded query={project}>
          {({ name, slug, rateLimit, people, maxAmount, totals }) => (
            <section className="card stack">
              <h2>
                <Foreign>{name}</Foreign> <span className="dim">{slug}</span>
              </h2>
              <dl className="facts">
                <Usage
                  name={t('project.limit')}
                  usage={rateLimit}
                  says={t('project.limitSays', { used: number(rateLimit.used), limit: number(rateLimit.limit) })}
                />
                <Usage
                  name={t('project.people')}
                  usage={people}
                  says={t('project.peopleSays', { used: number(people.used), limit: number(people.limit) })}
                />
                <dt>{t('project.players')}</dt>
                <dd>{number(totals.players)}</dd>
                <dt>{t('project.maxAmount')}</dt>
                <dd>{maxAmount === null ? t('project.unlimited') : number(maxAmount)}</dd>
              </dl>
            </section>
          )}
        </Loaded>
        <Loaded query={health}>{(known) => <HealthCard health={known} />}</Loaded>
      </div>
    </Page>
  );
};
