import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Integration } from '../api.ts';
import { describeBought } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { Button } from '../parts/controls.tsx';
import { Copy } from '../parts/copy.tsx';
import { Foreign } from '../parts/text.tsx';
import { ReplaceSecret } from './replace-secret.tsx';

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

/** The address of a shop, its packages, its limits and its secret. */
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
