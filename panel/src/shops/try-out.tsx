import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { readAmount } from '../amount.ts';
import { hub, type Schemas } from '../api.ts';
import { describeBought } from '../commands.tsx';
import { type Texts, useTexts } from '../i18n.ts';
import { NumberField } from '../parts/common-fields.tsx';
import { Button, SelectField, TextField } from '../parts/controls.tsx';
import { Foreign, plain } from '../parts/text.tsx';
import { reasonOf } from './decisions.ts';
import type { ShopChange } from './shop.ts';
import { FailedForm } from './shop-fields.tsx';

const MAX_QUANTITY = 1_000;

type Preview = Schemas['OrderPreview'];

const outcomeOf = (texts: Texts, { problem, detail, target }: Preview) => {
  if (problem === null) {
    return texts.rich('shops.testOk', { target: <Foreign key="target">{target ?? '–'}</Foreign> });
  }
  return problem === 'bridge_offline' ? texts.t('shops.testWaits') : reasonOf(texts, problem, detail);
};

const hintIn = (texts: Texts, { code, detail }: Preview['hints'][number]): string =>
  texts.textOr(`shops.hint.${code}`, reasonOf(texts, code, detail));

/** Shows what an order would do, also with a change that is not saved. Nothing is stored or sent. */
export const TryOut = ({
  id,
  packages,
  change = {},
  onFailed,
}: {
  id: string;
  packages: readonly string[];
  change?: ShopChange | 'incomplete';
  onFailed?: (error: unknown) => void;
}) => {
  const { t, locale, texts } = useTexts();
  const [buyer, setBuyer] = useState('');
  const [chosen, setChosen] = useState<string>();
  const [typed, setTyped] = useState('1');
  const [isTouched, setTouched] = useState(false);
  const quantity = readAmount(typed, { locale, max: MAX_QUANTITY });
  const bought = chosen !== undefined && packages.includes(chosen) ? chosen : packages[0];
  const ask = useMutation({
    mutationFn: (body: Schemas['OrderTest']) =>
      hub.request('post', '/api/v2/integrations/{id}/test', { path: { id }, body }),
    ...(onFailed !== undefined && { onError: onFailed }),
  });
  if (bought === undefined) return null;
  const { name: _, ...tried } = change === 'incomplete' ? {} : change;
  const wanted = {
    buyer: buyer.trim() === '' ? null : buyer.trim(),
    packages: [{ id: bought, quantity: typeof quantity === 'number' ? quantity : 0 }],
    ...(Object.keys(tried).length > 0 && { change: tried }),
  };
  // An old answer is hidden as soon as the form differs from its request.
  const isCurrent = change !== 'incomplete' && JSON.stringify(ask.variables) === JSON.stringify(wanted);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTouched(true);
    if (typeof quantity === 'number' && change !== 'incomplete') ask.mutate(wanted);
  };
  return (
    <form onSubmit={submit} className="card stack" noValidate>
      <h2>{t('shops.test')}</h2>
      <p className="dim small">{t('shops.testHint')}</p>
      <div className="fields">
        <TextField label={t('shops.testBuyer')} value={buyer} maxLength={128} onChange={setBuyer} />
        <SelectField
          label={t('shops.testPackage')}
          value={bought}
          options={packages.map((value) => [value, plain(value)] as const)}
          onChange={setChosen}
        />
        <NumberField
          label={t('shops.testQuantity')}
          value={typed}
          max={MAX_QUANTITY}
          isTouched={isTouched}
          onChange={setTyped}
        />
      </div>
      <div>
        <Button type="submit" isBusy={ask.isPending} disabled={change === 'incomplete'}>
          {t('shops.testRun')}
        </Button>
      </div>
      {change === 'incomplete' ? <p className="dim small">{t('shops.testIncomplete')}</p> : null}
      {isCurrent && ask.error !== null ? <FailedForm error={ask.error} /> : null}
      <ul className="plain" aria-live="polite" data-preview>
        {((isCurrent ? ask.data?.data : undefined) ?? []).map((each) => (
          <li key={`${each.package} ${each.number} ${each.name} ${JSON.stringify(each.params)}`}>
            <strong className="foreign">
              {each.name === null
                ? plain(each.package)
                : describeBought(texts, { name: each.name, params: each.params ?? {} })}
            </strong>{' '}
            {outcomeOf(texts, each)}
            {each.hints.map((hint) => (
              <span key={hint.code}> {hintIn(texts, hint)}</span>
            ))}
          </li>
        ))}
      </ul>
    </form>
  );
};
