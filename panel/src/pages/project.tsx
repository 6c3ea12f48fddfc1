import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { Schemas } from '../api.ts';
import { hubNow } from '../clock.ts';
import { LANGUAGES, type Texts, useTexts } from '../i18n.ts';
import { Button } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { Pairs } from '../parts/pairs.tsx';
import { Loaded } from '../parts/state.tsx';
import { Foreign, plain } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { useHealth, useProject } from '../queries.ts';
import { useMay, useSession } from '../session.ts';

const ProjectSheet = lazy(async () => ({ default: (await import('../project/project-sheet.tsx')).ProjectSheet }));

type Project = Schemas['Project'];
type Health = Schemas['Health'];

const languageIn = ({ t }: Texts, language: string | null): string =>
  language === null
    ? t('project.language.own')
    : (Object.entries(LANGUAGES).find(([tag]) => tag === language)?.[1] ?? language);

/** Shown only if something is missing. */
const Trouble = ({ status, says }: { status: Health['status']; says: string }) =>
  status === 'pass' ? null : <span className={status === 'warn' ? 'state wait' : 'state bad'}>{says}</span>;

/** The name of the project, and its rules for the staff. */
const Settings = ({ project }: { project: Project }) => {
  const texts = useTexts();
  const { t, has, number } = texts;
  const { name, slug, language, confirmAbove, reasonFor, maxAmount, maxBatchTotal, ceilings } = project;
  const bound = (own: number | null, ceiling: number | null): string => {
    if (own === null) return t('project.unlimited');
    return own === ceiling ? `${number(own)} (${t('project.byOperator')})` : number(own);
  };
  const reasons = reasonFor.map((each) => {
    const key = `command.${each}`;
    return has(key) ? t(key) : each;
  });
  return (
    <section className="card stack">
      <Pairs
        of={[
          [t('common.name'), <Foreign key="name">{name}</Foreign>],
          [t('project.slug'), <code key="slug">{slug}</code>],
          [t('project.language'), languageIn(texts, language)],
          [t('project.confirmAbove'), t('project.above', { amount: number(confirmAbove) })],
          [t('project.maxAmount'), bound(maxAmount, ceilings.maxAmount)],
          [t('project.maxBatchTotal'), bound(maxBatchTotal, ceilings.maxBatchTotal)],
          [t('project.reasonFor'), reasons.length === 0 ? t('project.nothing') : reasons.join(', ')],
        ]}
      />
    </section>
  );
};

/** From this part on, the bar is yellow. */
const MUCH = 0.8;

/** How much of a minute is used: a bar that turns yellow and red, and in words. */
const Usage = ({ name, usage, says }: { name: string; usage: Project['people']; says: string }) => {
  const { t, number } = useTexts();
  const { limit, used, resetSeconds } = usage;
  const isFull = used >= limit;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <meter
          className={isFull ? 'full' : ''}
          min={0}
          max={limit}
          low={limit * MUCH}
          high={limit - 0.5}
          optimum={0}
          value={used}
          aria-label={name}
        />
        <span className={isFull ? 'small full' : 'small'}>
          {says}
          {isFull ? ` ${t('project.full', { seconds: number(resetSeconds) })}` : ''}
        </span>
      </dd>
    </>
  );
};

/** The bounds of the operator, and how much of them is used. */
const Limits = ({ project }: { project: Project }) => {
  const { t, number } = useTexts();
  const { rateLimit, people, totals, maxServers, maxKeys, maxBatchTargets, maxWaiting, commands } = project;
  const of = (used: number, limit: number): string => t('project.usedOf', { used: number(used), limit: number(limit) });
  return (
    <section className="card stack">
      <h2>{t('project.operator')}</h2>
      <dl className="pairs">
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
      </dl>
      <Pairs
        of={[
          [t('nav.servers'), of(totals.servers, maxServers)],
          [t('project.waiting'), of(commands.waiting, maxWaiting)],
          [t('nav.keys'), t('project.atMost', { max: number(maxKeys) })],
          [t('keys.players'), t('project.atMost', { max: number(maxBatchTargets) })],
          [t('project.players'), number(totals.players)],
        ]}
      />
    </section>
  );
};

/** When the last good backup was made, and whether one failed. Nothing for a hub that makes none. */
const LastBackup = ({ health: { backup } }: { health: Health }) => {
  const { t, rich } = useTexts();
  if (backup === undefined) return null;
  const { status, lastGoodAt } = backup;
  return (
    <p {...(status === 'warn' ? { role: 'alert' } : { className: 'dim small' })}>
      {lastGoodAt === null
        ? t('project.noBackup')
        : rich('project.backup', { time: <Ago key="time" iso={lastGoodAt} /> })}
      {status === 'warn' ? ` ${t('project.backupFailed')}` : null}
    </p>
  );
};

const HealthPart = ({ health }: { health: Health }) => {
  const { t, rich, number } = useTexts();
  const may = useMay();
  const { bridges } = health;
  const since = new Date(hubNow() - health.api.uptimeSeconds * 1000).toISOString();
  return (
    <section className="card stack">
      <h2>{t('project.health')}</h2>
      {health.status === 'pass' ? (
        <p>{t('project.health.pass')}</p>
      ) : (
        <div>
          <Trouble status={health.status} says={t(`project.health.${health.status}`)} />
        </div>
      )}
      <Pairs
        of={health.databases.map(({ name, engine, status, latencyMs }) => [
          plain(name),
          <span key={name}>
            <Foreign>{engine}</Foreign>
            {latencyMs === null ? null : `, ${t('project.answers', { ms: number(latencyMs) })}`}{' '}
            <Trouble status={status} says={t(`server.database.${status}`)} />
          </span>,
        ])}
      />
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

/** The project: what its owner sets, what the operator sets, and the health of the hub. */
export const ProjectPage = () => {
  const { t } = useTexts();
  const may = useMay();
  const { servers } = useSession();
  const project = useProject();
  const health = useHealth();
  const [isOpen, setOpen] = useState(false);
  const canChange = may('project:write') && servers === null && project.data !== undefined;
  return (
    <Page
      title={t('nav.project')}
      actions={
        canChange ? (
          <Button isMain onClick={() => setOpen(true)}>
            {t('common.change')}
          </Button>
        ) : null
      }
    >
      <div className="grid">
        <Loaded query={project}>
          {(known) => (
            <div className="stack">
              <Settings project={known} />
              <Limits project={known} />
            </div>
          )}
        </Loaded>
        <Loaded query={health}>{(known) => <HealthPart health={known} />}</Loaded>
      </div>
      {isOpen && project.data !== undefined ? (
        <Suspense fallback={null}>
          <ProjectSheet project={project.data} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </Page>
  );
};
