import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { hub, type Integration } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { SelectField } from '../parts/controls.tsx';
import { DialogForm, FormDialog } from '../parts/form-dialog.tsx';
import { FailedForm, useHubErrors } from './hub-errors.tsx';
import { SecretField, SHORTEST_SECRET } from './secret-field.tsx';

const HOUR = 3_600;
const GRACES = ['0', '3600', '86400', '604800'] as const;

/** Replaces the secret of a shop. Neither of the two is shown again. */
export const ReplaceSecret = ({ shop, onClose }: { shop: Integration; onClose: () => void }) => {
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
