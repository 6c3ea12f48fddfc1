import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { readAmount } from '../amount.ts';
import { hub, type Schemas } from '../api.ts';
import { hubNow } from '../clock.ts';
import { changedIn } from '../drafts.ts';
import { LANGUAGES, type Texts, useTexts } from '../i18n.ts';
import { NumberField } from '../parts/common-fields.tsx';
import { Button, CheckField, SelectField, TextField } from '../parts/controls.tsx';
import { Sheet } from '../parts/form-dialog.tsx';
import { Page } from '../parts/page.tsx';
import { Loaded } from '../parts/state.tsx';
import { Foreign, plain } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { Pairs } from '../parts/values.tsx';
import { useHealth, useProject } from '../queries.ts';
import { useMay, useSession } from '../session.ts';

type Change = Schemas['ProjectChange'];
type Project = Schemas['Project'];
type Reasoned = NonNullable<Change['reasonFor']>[number];

const REASONED: readonly Reasoned[] = [
  'kick',
  'money',
  'items',
  'vehicles',
  'job',
  'revive',
  'heal',
  'freeze',
  'teleport',
];

type ProjectDraft = {
  name: string;
  /** Empty: that of each browser. */
  language: string;
  confirmAbove: string;
  reasonFor: readonly Reasoned[];
  /** Empty: the operator's bound. */
  maxAmount: string;
  maxBatchTotal: string;
};

/** A bound of the project; it is not shown as typed where it is the operator's. */
const boundOf = (own: number | null, ceiling: number | null): string =>
  own === null || own === ceiling ? '' : String(own);

const projectDraftOf = (project: Project): ProjectDraft => ({
  name: project.name,
  language: project.language ?? '',
  confirmAbove: String(project.confirmAbove),
  reasonFor: REASONED.filter((name) => project.reasonFor.includes(name)),
  maxAmount: boundOf(project.maxAmount, project.ceilings.maxAmount),
  maxBatchTotal: boundOf(project.maxBatchTotal, project.ceilings.maxBatchTotal),
});

type BoundName = 'maxAmount' | 'maxBatchTotal' | 'confirmAbove';

/** A typed amount of the form; null: empty. Words: why it is none. */
const readSetting = (draft: ProjectDraft, name: BoundName, { ceilings }: Project, locale: string) => {
  if (draft[name].trim() === '' && name !== 'confirmAbove') return null;
  const ceiling = name === 'confirmAbove' ? null : ceilings[name];
  return readAmount(draft[name], { locale, max: ceiling ?? Number.MAX_SAFE_INTEGER });
};

/** The settings that differ from the stored ones; undefined: something is missing or wrong. */
const projectChangeOf = (
  before: ProjectDraft,
  draft: ProjectDraft,
  project: Project,
  locale: string,
): Change | undefined => {
  const name = draft.name.trim();
  const confirmAbove = readSetting(draft, 'confirmAbove', project, locale);
  const maxAmount = readSetting(draft, 'maxAmount', project, locale);
  const maxBatchTotal = readSetting(draft, 'maxBatchTotal', project, locale);
  if (name === '' || typeof confirmAbove !== 'number') return undefined;
  if (typeof maxAmount === 'string' || typeof maxBatchTotal === 'string') return undefined;
  const settings: Required<Change> = {
    ...{ name, confirmAbove, maxAmount, maxBatchTotal },
    language: draft.language === '' ? null : (draft.language as NonNullable<Change['language']>),
    reasonFor: [...draft.reasonFor],
  };
  return changedIn(before, draft, settings);
};

/** Changes what the project calls itself and asks of its staff. */
const ProjectSheet = ({ project, onClose }: { project: Schemas['Project']; onClose: () => void }) => {
  const { t, number, locale } = useTexts();
  const client = useQueryClient();
  const [before] = useState(() => projectDraftOf(project));
  const [draft, setDraft] = useState(before);
  const change = (some: Partial<typeof draft>): void => setDraft((old) => ({ ...old, ...some }));
  const body = projectChangeOf(before, draft, project, locale);
  const save = useMutation({
    mutationFn: (changed: Schemas['ProjectChange']) => hub.request('patch', '/api/v2/project', { body: changed }),
    onSuccess: (changed) => {
      client.setQueryData(['project'], changed);
      // The name beside the mark, and the largest amount of the dialogs.
      void client.invalidateQueries({ queryKey: ['session'] });
      onClose();
    },
  });
  const ceilingOf = (name: BoundName): number | null => (name === 'confirmAbove' ? null : project.ceilings[name]);
  const amount = (name: BoundName) => {
    const ceiling = ceilingOf(name);
    const bound = ceiling === null ? t('project.noCeiling') : t('project.ceiling', { max: number(ceiling) });
    return (
      <NumberField
        label={t(`project.${name}`)}
        description={name === 'confirmAbove' ? t('project.confirmAboveSays') : bound}
        value={draft[name]}
        max={ceiling ?? Number.MAX_SAFE_INTEGER}
        isOptional={name !== 'confirmAbove'}
        large={ceiling === null ? t('keys.large', { max: number(Number.MAX_SAFE_INTEGER) }) : bound}
        onChange={(text) => change({ [name]: text })}
      />
    );
  };
  return (
    <Sheet
      title={t('project.change')}
      submit={t('common.save')}
      isDirty={draft !== before && !save.isSuccess}
      isReady={body !== undefined && Object.keys(body).length > 0}
      isPending={save.isPending}
      error={save.error}
      onSubmit={() => body !== undefined && save.mutate(body)}
      onClose={onClose}
    >
      <TextField
        label={t('setup.community')}
        value={draft.name}
        maxLength={128}
        data-autofocus
        error={draft.name.trim() === '' ? t('custom.field.missing') : undefined}
        onChange={(text) => change({ name: text })}
      />
      <SelectField
        label={t('project.language')}
        value={draft.language}
        onChange={(value) => change({ language: value })}
        options={[['', t('project.language.own')], ...Object.entries(LANGUAGES)]}
      />
      {amount('confirmAbove')}
      {amount('maxAmount')}
      {amount('maxBatchTotal')}
      <fieldset>
        <legend>{t('project.reasonFor')}</legend>
        <div className="checks">
          {REASONED.map((name) => (
            <CheckField
              key={name}
              label={t(`command.${name}`)}
              checked={draft.reasonFor.includes(name)}
              onChange={() =>
                change({
                  reasonFor: REASONED.filter((each) => draft.reasonFor.includes(each) !== (each === name)),
                })
              }
            />
          ))}
        </div>
      </fieldset>
    </Sheet>
  );
};

type Health = Schemas['Health'];

const languageIn = ({ t }: Texts, language: string | null): string =>
  language === null
    ? t('project.language.own')
    : (Object.entries(LANGUAGES).find(([tag]) => tag === language)?.[1] ?? language);

/** Shown only if something is missing. */
const Trouble = ({ status, says }: { status: Health['status']; says: string }) =>
  status === 'pass' ? null : <span className={status === 'warn' ? 'state wait' : 'state bad'}>{says}</span>;

const Settings = ({ project }: { project: Project }) => {
  const { t, textOr, number, texts } = useTexts();
  const { name, slug, language, confirmAbove, reasonFor, maxAmount, maxBatchTotal, ceilings } = project;
  const bound = (own: number | null, ceiling: number | null): string => {
    if (own === null) return t('project.unlimited');
    return own === ceiling ? `${number(own)} (${t('project.byOperator')})` : number(own);
  };
  const reasons = reasonFor.map((each) => textOr(`command.${each}`, each));
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
        <ProjectSheet project={project.data} onClose={() => setOpen(false)} />
      ) : null}
    </Page>
  );
};
