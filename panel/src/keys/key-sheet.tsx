import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiKey, hub, type Schemas } from '../api.ts';
import { changedIn } from '../drafts.ts';
import { useTexts } from '../i18n.ts';
import { useMadeBefore } from '../made-before.ts';
import { Sheet } from '../parts/sheet.tsx';
import { allPages } from '../queries.ts';
import { useSession } from '../session.ts';
import { keyDraftOf, newKeyDraft, readKey } from './draft.ts';
import { KeyFields } from './key-fields.tsx';
import { scopesOf } from './scopes.ts';

const readKeys = (): Promise<ApiKey[]> => allPages((query) => hub.request('get', '/api/v2/keys', { query }));

const make = (body: Schemas['NewKey']) => hub.request('post', '/api/v2/keys', { body });

/** Another secret for a key that was made, and whose secret was lost on its way; what was changed since then counts. */
const renew = async ({ id }: ApiKey, body: Schemas['KeyChange']) => {
  await hub.request('patch', '/api/v2/keys/{id}', { path: { id }, body });
  return hub.request('post', '/api/v2/keys/{id}/rotate', { path: { id } });
};

/** Makes a key, or changes `row`. `onDone` gets the secret of a new one. */
export const KeySheet = ({
  row,
  onDone,
  onClose,
}: {
  row: ApiKey | undefined;
  onDone: (made: { id: string; name: string; key: string } | undefined) => void;
  onClose: () => void;
}) => {
  const { t, locale } = useTexts();
  const session = useSession();
  const [before] = useState(() =>
    row === undefined ? newKeyDraft(scopesOf('moderator', session.scopes)) : keyDraftOf(row),
  );
  const [draft, setDraft] = useState(before);
  const madeBefore = useMadeBefore(readKeys);
  const settings = readKey(draft, locale, session.servers);
  const save = useMutation({
    mutationFn: async () => {
      if (settings === undefined) return undefined;
      const { maxBatchTargets, maxBatchTotal, rateLimit, ...others } = settings;
      // A new key without a bound gets that of the user's own key.
      const bounds = Object.entries({ maxBatchTargets, maxBatchTotal, rateLimit }).filter(
        ([, bound]) => bound !== null,
      );
      if (row === undefined) {
        const { name } = settings;
        // Nobody has the secret of one whose answer was lost.
        const isMine = (each: ApiKey): boolean => each.name === name && each.createdBy === session.key.id;
        const body = { ...others, ...Object.fromEntries(bounds) };
        return madeBefore(isMine, (made) => (made === undefined ? make(body) : renew(made, body)));
      }
      const body = changedIn(before, draft, settings);
      await hub.request('patch', '/api/v2/keys/{id}', { path: { id: row.id }, body });
      return undefined;
    },
    onSuccess: onDone,
  });
  return (
    <Sheet
      title={t(row === undefined ? 'keys.add' : 'keys.change')}
      submit={t(row === undefined ? 'keys.make' : 'common.save')}
      isDirty={draft !== before && !save.isSuccess}
      isReady={settings !== undefined && draft !== before}
      isPending={save.isPending}
      error={save.error}
      lost={row === undefined ? 'secret' : 'again'}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <KeyFields draft={draft} onChange={(change) => setDraft((old) => ({ ...old, ...change }))} />
    </Sheet>
  );
};
