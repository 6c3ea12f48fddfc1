import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { hub, type Integration, type OrderLine } from '../api.ts';
import { describeBought } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { More } from '../parts/command-list.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Button, SelectField } from '../parts/controls.tsx';
import { Copy } from '../parts/copy.tsx';
import { DialogForm, FormDialog } from '../parts/form-dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu, MenuItem } from '../parts/menu.tsx';
import { Page } from '../parts/page.tsx';
import { ServerName } from '../parts/server-state.tsx';
import { Empty, Failed, Loaded } from '../parts/state.tsx';
import { Foreign, plain, shortId } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { Pairs } from '../parts/values.tsx';
import { EVERY_MS } from '../queries.ts';
import {
  canUndo,
  problemIn,
  productIn,
  reasonOf,
  stateIn,
  useDecide,
  useDecided,
  useStaffLines,
} from '../shops/decisions.ts';
import { FailedForm, SecretField, SHORTEST_SECRET, useHubErrors } from '../shops/shop-fields.tsx';
import { StaffList } from '../shops/staff-list.tsx';
import { TryOut } from '../shops/try-out.tsx';

const Line = ({ line, integrationId }: { line: OrderLine; integrationId: string }) => {
  const { t, rich, texts } = useTexts();
  const undo = useDecide(integrationId);
  const { decision, target, commandId, reason } = line;
  const isDismissed = decision?.is === 'dismissed';
  const who = <Foreign key="name">{decision?.by.name ?? ''}</Foreign>;
  const what = productIn(line);
  const failed = (undo.data ?? []).filter((each) => each.line === undefined);
  return (
    <li className="row between">
      <span>
        <Foreign isStrong>{line.transaction}</Foreign> {line.package === '' ? null : <Foreign>{what}</Foreign>}{' '}
        <span className="small">
          {isDismissed
            ? rich('shops.dismissedBy', { name: who, note: <Foreign key="note">{decision.note ?? ''}</Foreign> })
            : rich('shops.givenBy', {
                name: who,
                target: (
                  <Link
                    key="target"
                    to="/players/$serverId/$identifier"
                    params={{ serverId: line.serverId, identifier: target ?? '' }}
                    title={target ?? ''}
                  >
                    <Foreign>{shortId(target ?? '')}</Foreign>
                  </Link>
                ),
              })}{' '}
          {isDismissed ? null : stateIn(texts, line)}{' '}
          {reason === null || isDismissed ? null : reasonOf(texts, reason, line.detail)}{' '}
          {commandId === null ? null : (
            <Link to="/journal/$id" params={{ id: commandId }}>
              {t('dialog.journal')}
            </Link>
          )}
        </span>
        {undo.error === null ? null : <Failed error={undo.error} lost="once" />}
        {failed.map((each) => (
          <span key={each.id} role="alert" className="foreign">
            {problemIn(texts, each)}
          </span>
        ))}
      </span>
      <span className="row dim small">
        {decision === null ? null : <Ago iso={decision.at} />}
        {canUndo(line) ? (
          <Button
            isSmall
            isBusy={undo.isPending}
            aria-label={isDismissed ? t('shops.putBackNamed', { what }) : t('action.undoNamed', { what })}
            onClick={() => undo.mutate({ lines: [line], undo: true })}
          >
            {isDismissed ? t('shops.putBack') : t('action.undoShort')}
          </Button>
        ) : null}
      </span>
    </li>
  );
};

/** The decisions of the staff in the last 30 days, with the way back. */
const DecidedList = ({ integrationId }: { integrationId: string }) => {
  const { t } = useTexts();
  const decided = useDecided(integrationId);
  const lines = decided.data?.pages.flatMap(({ data }) => data) ?? [];
  if (lines.length === 0) return null;
  return (
    <section className="stack" aria-label={t('shops.decided')}>
      <h2>{t('shops.decided')}</h2>
      <ul className="plain">
        {lines.map((line) => (
          <Line key={line.id} line={line} integrationId={integrationId} />
        ))}
      </ul>
      <More query={decided} />
    </section>
  );
};

const HOUR = 3_600;
const GRACES = ['0', '3600', '86400', '604800'] as const;

/** Replaces the secret of a shop. Neither of the two is shown again. */
const ReplaceSecret = ({ shop, onClose }: { shop: Integration; onClose: () => void }) => {
  const { t } = useTexts();
  const client = useQueryClient();
  const [secret, setSecret] = useState('');
  const [grace, setGrace] = useState<string>(String(HOUR));
  const [isTouched, setTouched] = useState(false);
  const replace = useMutation({
    mutationFn: () =>
      hub.request('patch', '/api/v2/integrations/{id}', {
        path: { id: shop.id },
        body: { secret: secret.trim(), graceSeconds: Number(grace) },
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['shops'] });
      onClose();
    },
  });
  const errors = useHubErrors(replace.error);
  const submit = (): void => {
    setTouched(true);
    if (secret.trim().length >= SHORTEST_SECRET) replace.mutate();
  };
  return (
    <FormDialog
      title={t('shops.secretReplace')}
      isHeld={replace.isPending}
      isDirty={secret !== '' && !replace.isSuccess}
      onClose={onClose}
    >
      <DialogForm submit={t('shops.secretSave')} isBusy={replace.isPending} onSubmit={submit} onClose={onClose}>
        <p>{t('shops.secretReplaceSays')}</p>
        <SecretField
          label={t('shops.secretNew')}
          kind={shop.kind}
          value={secret}
          isTouched={isTouched}
          error={errors.get('/secret')}
          onChange={setSecret}
        />
        <SelectField
          label={t('shops.grace')}
          value={grace}
          options={GRACES.map((value) => [value, t(`shops.grace.${value}`)] as const)}
          onChange={setGrace}
        />
        {replace.error === null ? null : <FailedForm error={replace.error} lost="again" />}
      </DialogForm>
    </FormDialog>
  );
};

/** The address for the shop; a hub without a public address is known by the panel's own. */
const addressOf = ({ url }: Integration): string => new URL(url, location.origin).href;

const Limits = ({ shop: { maxAmount, maxDaily } }: { shop: Integration }) => {
  const { t, number } = useTexts();
  const told = [
    ...(maxAmount === null ? [] : [t('shops.mostAmount', { amount: number(maxAmount) })]),
    ...(maxDaily === null ? [] : [t('shops.mostDaily', { amount: number(maxDaily) })]),
  ];
  return told.length === 0 ? null : <p className="small">{told.join(' · ')}</p>;
};

const Packages = ({ shop: { packages } }: { shop: Integration }) => {
  const texts = useTexts();
  const entries = Object.entries(packages);
  if (entries.length === 0) return <p className="dim">{texts.t('shops.noPackages')}</p>;
  return (
    <div className="packages">
      <Pairs
        of={entries.map(([id, commands]) => [
          plain(id),
          commands.length === 0
            ? texts.t('shops.noCommands')
            : commands.map((command) => describeBought(texts, command)).join(' · '),
        ])}
      />
    </div>
  );
};

const ShopFacts = ({ shop }: { shop: Integration }) => {
  const { t, rich, count, time } = useTexts();
  const [isReplacing, setReplacing] = useState(false);
  const { id, serverId, maker, previousSecretEndsAt, wrongSignatures: wrong } = shop;
  const url = addressOf(shop);
  return (
    <section className="card stack">
      <p>{t('shops.url')}</p>
      <div className="row">
        <code className="foreign">{url}</code> <Copy text={url} />
      </div>
      <h2>{t('shops.packages')}</h2>
      <Packages shop={shop} />
      <Limits shop={shop} />
      <p className="dim small">
        {rich('shops.on', { server: <ServerName key="server" id={serverId} /> })} ·{' '}
        {rich('shops.maker', { name: <Foreign key="name">{maker.name}</Foreign> })}
        {wrong.count === 0 ? null : <> · {count('shops.wrong', wrong.count)}</>}
      </p>
      {previousSecretEndsAt === null ? null : (
        <p className="small">{t('shops.secretOld', { time: time(previousSecretEndsAt) })}</p>
      )}
      <div className="row">
        <Link to="/shops/$id/edit" params={{ id }}>
          {t('shops.editShop')}
        </Link>
        <Button onClick={() => setReplacing(true)}>{t('shops.secretReplace')}</Button>
      </div>
      {isReplacing ? <ReplaceSecret shop={shop} onClose={() => setReplacing(false)} /> : null}
    </section>
  );
};

const route = getRouteApi('/shops/$id');

const Deliveries = ({ id }: { id: string }) => {
  const { t, textOr } = useTexts();
  const deliveries = useQuery({
    queryKey: ['shops', id, 'deliveries'],
    queryFn: async () => (await hub.request('get', '/api/v2/integrations/{id}/deliveries', { path: { id } })).data,
    refetchInterval: EVERY_MS,
  });
  return (
    <section className="stack">
      <h2>{t('shops.deliveries')}</h2>
      <Loaded query={deliveries}>
        {(known) =>
          known.length === 0 ? (
            <Empty title={t('shops.noDeliveries')} />
          ) : (
            <ul className="plain">
              {[...known.entries()].map(([place, each]) => (
                <li key={`${known.length - place} ${each.receivedAt}`} className="row between">
                  <span>
                    {textOr(`shops.outcome.${each.outcome}`, each.outcome)}{' '}
                    <Foreign>{each.transaction ?? each.type}</Foreign>
                  </span>
                  <span className="dim small">
                    <Ago iso={each.receivedAt} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
};

export const ShopPage = () => {
  const { t, rich } = useTexts();
  const { id } = route.useParams();
  const client = useQueryClient();
  const navigate = useNavigate();
  const query = useQuery({
    queryKey: ['shops', id],
    queryFn: () => hub.request('get', '/api/v2/integrations/{id}', { path: { id } }),
    refetchInterval: EVERY_MS,
  });
  // They stand above others, which their rows would push down.
  const isComing = [useStaffLines(id), useDecided(id)].some(({ isPending }) => isPending);
  const [isLeaving, setLeaving] = useState(false);
  const remove = async (): Promise<void> => {
    await hub.request('delete', '/api/v2/integrations/{id}', { path: { id } });
    await navigate({ to: '/shops' });
    client.removeQueries({ queryKey: ['shops', id] });
    void client.invalidateQueries({ queryKey: ['shops'], exact: true });
  };
  return (
    <Page
      title={query.data?.name ?? t('nav.shops')}
      actions={
        <>
          <Link to="/shops">{t('shops.back')}</Link>
          <Menu className="ghost" name={t('nav.more')} label={<Icon name="more" />}>
            <MenuItem onClick={() => setLeaving(true)}>{t('shops.delete')}</MenuItem>
          </Menu>
        </>
      }
    >
      <Loaded query={isComing ? { ...query, data: undefined } : query}>
        {(shop) => (
          <>
            <StaffList integrationId={id} />
            <ShopFacts shop={shop} />
            <DecidedList integrationId={id} />
            <TryOut id={id} packages={Object.keys(shop.packages)} />
            <Deliveries id={id} />
            {isLeaving ? (
              <Confirm
                title={t('shops.delete')}
                says={rich('shops.deleteSays', { name: <Foreign key="name">{shop.name}</Foreign> })}
                isFinal
                action={remove}
                onClose={() => setLeaving(false)}
              />
            ) : null}
          </>
        )}
      </Loaded>
    </Page>
  );
};
