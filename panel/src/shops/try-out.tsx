import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, dataOf, type Integration } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Failed } from '../parts/state.tsx';
import { Foreign, plain } from '../parts/text.tsx';
import { textOf } from '../parts/values.tsx';
import { reasonOf } from './staff-list.tsx';

/** Shows what an order would do. Nothing is stored or sent. */
export const TryOut = ({ shop }: { shop: Integration }) => {
  const texts = useTexts();
  const { t, rich } = texts;
  const ids = Object.keys(shop.packages);
  const [buyer, setBuyer] = useState('');
  const [chosen, setChosen] = useState(ids[0] ?? '');
  const ask = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/api/v2/integrations/{id}/test', {
          params: { path: { id: shop.id } },
          body: { buyer: buyer.trim() === '' ? null : buyer.trim(), packages: [{ id: chosen, quantity: 1 }] },
        }),
      ),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    ask.mutate();
  };
  if (ids.length === 0) return null;
  return (
    <form onSubmit={submit} className="card stack">
      <h2>{t('shops.test')}</h2>
      <p className="dim small">{t('shops.testHint')}</p>
      {ask.error === null ? null : <Failed error={ask.error} />}
      <div className="filters">
        <TextInput
          label={t('shops.testBuyer')}
          value={buyer}
          maxLength={128}
          onChange={(event) => setBuyer(event.currentTarget.value)}
        />
        <NativeSelect
          label={t('shops.package')}
          value={chosen}
          data={ids.map((value) => ({ value, label: plain(value) }))}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={ask.isPending}>
          {t('shops.testRun')}
        </Button>
      </div>
      <ul className="plain" aria-live="polite">
        {(ask.data?.data ?? []).map((each) => (
          <li key={`${each.package} ${each.number} ${each.name} ${textOf(each.params)}`}>
            <Foreign>{`${each.name ?? each.package}: ${textOf(each.params ?? {})}`}</Foreign>{' '}
            {each.problem === null
              ? rich('shops.testOk', { target: <Foreign key="target">{each.target ?? '–'}</Foreign> })
              : reasonOf(texts, each.problem, each.detail)}
          </li>
        ))}
      </ul>
    </form>
  );
};
