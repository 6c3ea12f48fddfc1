import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { hub, type Schemas } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { TextField } from '../parts/controls.tsx';
import { Sheet } from '../parts/sheet.tsx';

const LONGEST_URL = 2_048;

/** Whether an address is one that Discord shows for a webhook. */
const isDiscord = (url: string): boolean => /^https:\/\/(?:\w+\.)?discord(?:app)?\.com\/api\/.*webhooks\//.test(url);

/** Makes a webhook. `onMade` gets its secret; null: Discord needs none. */
export const WebhookSheet = ({
  onMade,
  onClose,
}: {
  onMade: (made: Schemas['Webhook'] & { secret: string | null }) => void;
  onClose: () => void;
}) => {
  const { t } = useTexts();
  const [url, setUrl] = useState('');
  const save = useMutation({
    mutationFn: () => {
      const text = url.trim();
      const format = isDiscord(text) ? ('discord' as const) : ('json' as const);
      return hub.request('post', '/api/v2/webhooks', { body: { url: text, format } });
    },
    onSuccess: onMade,
  });
  return (
    <Sheet
      title={t('webhooks.add')}
      submit={t('webhooks.make')}
      isDirty={url !== '' && !save.isSuccess}
      isReady={/^https?:\/\/./.test(url.trim())}
      isPending={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <TextField
        label={t('webhooks.url')}
        description={t(isDiscord(url.trim()) ? 'webhooks.urlDiscord' : 'webhooks.urlHint')}
        placeholder="https://"
        value={url}
        maxLength={LONGEST_URL}
        onChange={setUrl}
      />
    </Sheet>
  );
};
