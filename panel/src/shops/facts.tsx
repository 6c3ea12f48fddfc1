import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { hub, type Integration } from '../api.ts';
import { describeBought } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { Button, SelectField } from '../parts/controls.tsx';
import { Copy } from '../parts/copy.tsx';
import { DialogForm, FormDialog } from '../parts/form-dialog.tsx';
import { Foreign } from '../parts/text.tsx';
import { FailedForm, useHubErrors } from './hub-errors.tsx';
import { SecretField, SHORTEST_SECRET } from './secret-field.tsx';

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
    <ul className="plain small">
      {entries.map(([id, commands]) => (
        <li key={id}>
          <strong>
            <Foreign>{id}</Foreign>
          </strong>{' '}
          <span className="foreign">
            {commands.length === 0
              ? texts.t('shops.noCommands')
              : commands.map((command) => describeBought(texts, command)).join(' · ')}
          </span>
        </li>
      ))}
    </ul>
  );
};

export const ShopFacts = ({ shop }: { shop: Integration }) => {
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
        {rich('shops.on', { server: <Foreign key="server">{serverId}</Foreign> })} ·{' '}
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
