import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { hub, type Integration, type Schemas } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { useMadeBefore } from '../made-before.ts';
import { useServerField } from '../parts/common-fields.tsx';
import { SelectField } from '../parts/controls.tsx';
import { Sheet } from '../parts/form-dialog.tsx';
import { readShops } from '../queries.ts';
import { EMPTY_SHOP, readShop } from './shop.ts';
import { FailedForm, SecretField, SHORTEST_SECRET, ShopFields, useHubErrors, useShopRules } from './shop-fields.tsx';

const KINDS = ['tebex', 'orders'] as const;

export const ShopSheet = ({ onMade, onClose }: { onMade: (made: Integration) => void; onClose: () => void }) => {
  const { t } = useTexts();
  const [kind, setKind] = useState<Integration['kind']>('tebex');
  const [secret, setSecret] = useState('');
  const [typed, setTyped] = useState(EMPTY_SHOP);
  const [isTouched, setTouched] = useState(false);
  const first = useServerField();
  const draft = typed.serverId === '' ? { ...typed, serverId: first } : typed;
  const rules = useShopRules(draft);
  const settings = readShop(draft, rules);
  const madeBefore = useMadeBefore(readShops);
  const make = useMutation({
    mutationFn: (body: Schemas['NewIntegration']) =>
      madeBefore(
        (each) => each.kind === body.kind && each.name === body.name,
        (made) => {
          if (made === undefined) return hub.request('post', '/api/v2/integrations', { body });
          // What was changed since then must not be lost.
          const { kind: _, ...settings } = body;
          return hub.request('patch', '/api/v2/integrations/{id}', {
            path: { id: made.id },
            body: { ...settings, graceSeconds: 0 },
          });
        },
      ),
    onSuccess: onMade,
  });
  const errors = useHubErrors(make.error);
  const submit = (): void => {
    setTouched(true);
    if (settings === undefined || secret.trim().length < SHORTEST_SECRET) return;
    make.mutate({ kind, secret: secret.trim(), ...settings });
  };
  return (
    <Sheet
      title={t('shops.add')}
      submit={t('shops.connect')}
      isDirty={make.data === undefined && (typed !== EMPTY_SHOP || secret !== '')}
      isPending={make.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <SelectField
        label={t('shops.kind')}
        value={kind}
        options={KINDS.map((value) => [value, t(`shops.kind.${value}`)] as const)}
        onChange={setKind}
      />
      <SecretField
        label={t('shops.secret')}
        kind={kind}
        value={secret}
        isTouched={isTouched}
        error={errors.get('/secret')}
        onChange={setSecret}
      />
      <ShopFields
        {...{ draft, rules, isTouched, errors }}
        onChange={(change) => {
          make.reset();
          setTyped((old) => ({ ...old, ...change }));
        }}
      />
      {make.error === null ? null : <FailedForm error={make.error} lost="once" />}
    </Sheet>
  );
};
