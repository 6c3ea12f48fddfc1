import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { hub } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { useMadeBefore } from '../made-before.ts';
import { ServerChecks, toggled } from '../parts/common-fields.tsx';
import { CheckField, SelectField, TextField } from '../parts/controls.tsx';
import { Sheet } from '../parts/form-dialog.tsx';
import { useSession } from '../session.ts';
import { ALL_TYPES, type EventType, GROUPS, readWebhooks, typesIn, type Webhook } from './webhook.ts';

const LONGEST_URL = 2_048;
const LONGEST_NAME = 128;

/** Whether an address is one that Discord shows for a webhook. */
const isDiscord = (url: string): boolean => /^https:\/\/(?:\w+\.)?discord(?:app)?\.com\/api\/.*webhooks\//.test(url);

type Draft = {
  name: string;
  url: string;
  /** Undefined: as the address says. */
  format: Webhook['format'] | undefined;
  /** Null: all, also those of later versions. */
  types: readonly string[] | null;
  servers: readonly string[];
};

const draftOf = (row: Webhook | undefined): Draft => ({
  name: row?.name ?? '',
  // That of Discord is a secret, which the hub does not show.
  url: row?.format === 'discord' ? '' : (row?.url ?? ''),
  format: row?.format,
  types: row?.types ?? null,
  servers: row?.servers ?? [],
});

const Types = ({
  chosen,
  onChange,
}: {
  chosen: readonly string[] | null;
  onChange: (types: readonly string[] | null) => void;
}) => {
  const { t } = useTexts();
  return (
    <fieldset>
      <legend>{t('webhooks.types')}</legend>
      <CheckField
        label={t('webhooks.allTypes')}
        checked={chosen === null}
        onChange={(isAll) => onChange(isAll ? null : ALL_TYPES)}
      />
      {chosen === null
        ? null
        : GROUPS.map((group) => (
            <div key={group} className="checks">
              <span className="small">{t(group)}</span>
              {typesIn(group).map((type) => (
                <CheckField
                  key={type}
                  label={t(`event.${type}`)}
                  checked={chosen.includes(type)}
                  onChange={() => onChange(toggled(chosen, type))}
                />
              ))}
            </div>
          ))}
    </fieldset>
  );
};

/** Makes a webhook, or changes `row`. `onDone` gets the secret of a new one; null: Discord needs none. */
export const WebhookSheet = ({
  row,
  onDone,
  onClose,
}: {
  row: Webhook | undefined;
  onDone: (secret: string | null) => void;
  onClose: () => void;
}) => {
  const { t } = useTexts();
  const session = useSession();
  const [before] = useState(() => draftOf(row));
  const [draft, setDraft] = useState(before);
  const change = (part: Partial<Draft>): void => setDraft((old) => ({ ...old, ...part }));
  const url = draft.url.trim();
  const name = draft.name.trim() === '' ? null : draft.name.trim();
  const { types, servers, format = isDiscord(url) ? 'discord' : 'json' } = draft;
  const isSameAddress = row !== undefined && draft.url === before.url;
  const isDirty = draft !== before;
  const madeBefore = useMadeBefore(readWebhooks);

  const make = (wanted: { types: EventType[] | null; servers: string[] | null }): Promise<string | null> =>
    madeBefore(
      (each) => each.format === format && each.maker.keyId === session.key.id,
      async (made) => {
        if (made === undefined)
          return (await hub.request('post', '/api/v2/webhooks', { body: { url, name, format, ...wanted } })).secret;
        const path = { id: made.id };
        // What was changed since then counts, above all the address.
        await hub.request('patch', '/api/v2/webhooks/{id}', { path, body: { url, name, ...wanted } });
        // The secret of a webhook was lost with its answer, so it gets a new one.
        if (format === 'discord') return null;
        return (await hub.request('post', '/api/v2/webhooks/{id}/rotate', { path })).secret;
      },
    );
  const save = useMutation({
    mutationFn: async () => {
      const wanted = {
        // The hub has refused any other.
        types: types as EventType[] | null,
        servers: servers.length > 0 ? [...servers] : session.servers,
      };
      if (row === undefined) return make(wanted);
      const body = {
        ...(!isSameAddress && { url }),
        ...(draft.name !== before.name && { name }),
        ...(types !== before.types && { types: wanted.types }),
        ...(servers !== before.servers && { servers: wanted.servers }),
      };
      await hub.request('patch', '/api/v2/webhooks/{id}', { path: { id: row.id }, body });
      return null;
    },
    onSuccess: onDone,
  });
  const hint =
    row?.format === 'discord' ? 'webhooks.urlKept' : format === 'discord' ? 'webhooks.urlDiscord' : 'webhooks.urlHint';
  return (
    <Sheet
      title={t(row === undefined ? 'webhooks.add' : 'webhooks.change')}
      submit={t(row === undefined ? 'webhooks.make' : 'common.save')}
      isDirty={isDirty && !save.isSuccess}
      isReady={isDirty && (isSameAddress || /^https?:\/\/./.test(url)) && types?.length !== 0}
      isPending={save.isPending}
      error={save.error}
      lost={row === undefined ? 'secret' : 'again'}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <TextField
        label={t('webhooks.url')}
        description={t(hint)}
        placeholder="https://"
        value={draft.url}
        maxLength={LONGEST_URL}
        data-autofocus
        onChange={(text) => change({ url: text })}
      />
      <TextField
        label={t('common.name')}
        description={t('webhooks.nameHint')}
        value={draft.name}
        maxLength={LONGEST_NAME}
        onChange={(text) => change({ name: text })}
      />
      {row === undefined ? (
        <SelectField
          label={t('webhooks.format')}
          value={format}
          onChange={(chosen) => change({ format: chosen })}
          options={(['json', 'discord'] as const).map((each) => [each, t(`webhooks.format.${each}`)] as const)}
        />
      ) : null}
      <Types chosen={types} onChange={(chosen) => change({ types: chosen })} />
      <ServerChecks chosen={servers} onChange={(chosen) => change({ servers: chosen })} />
    </Sheet>
  );
};
