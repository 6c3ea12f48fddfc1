import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { fold } from '../../../bridge-protocol/fold.ts';
import { hub, type Schemas } from '../api.ts';
import { useSettled } from '../filters.ts';
import { useTexts } from '../i18n.ts';
import { namedEntry } from '../names.ts';
import { Combobox } from '../parts/combobox.tsx';
import { Foreign, plain } from '../parts/text.tsx';
import { useMay } from '../session.ts';
import type { Named } from './draft.ts';

const DEBOUNCE_MS = 80;
const SHOWN = 6;

export type Entry = Schemas['CatalogueEntry'];

const has = ({ name, label }: Named, text: string): boolean => fold(`${name}\n${label}`).includes(fold(text));

/** Entries of a catalogue of the game server for a typed text. Undefined: the user is not typing. */
export const useCatalogue = (
  serverId: string,
  kind: 'items' | 'vehicles' | 'jobs',
  text: string | undefined,
  limit = SHOWN + 1,
): readonly Entry[] => {
  const may = useMay();
  const wanted = text?.trim() ?? '';
  const search = useSettled(wanted, DEBOUNCE_MS);
  const isAsked = may('servers:read') && text !== undefined;
  const { data } = useQuery({
    queryKey: ['catalogue', serverId, kind, search, limit],
    queryFn: ({ signal }) =>
      hub.request(
        'get',
        `/api/v2/servers/{serverId}/${kind}`,
        { path: { serverId }, query: { limit, ...(search !== '' && { search }) } },
        { signal },
      ),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  });
  if (text === undefined) return [];
  // A server without a catalogue, or a key that may not read it: the name is taken as it is typed.
  const isUnlisted = !isAsked || data?.syncedAt === null;
  if (isUnlisted) return wanted === '' ? [] : [{ name: wanted, label: wanted }];
  return (data?.data ?? []).map(namedEntry).filter((entry) => has(entry, wanted));
};

/** Finds entries in a list that the panel has. */
export const among = <E extends Named>(entries: readonly E[], text: string | undefined): readonly E[] =>
  text === undefined ? [] : entries.filter((entry) => has(entry, text.trim())).slice(0, SHOWN + 1);

/** Chooses one of the things that `find` offers for the typed text. */
export const NamedField = <E extends Named>({
  label,
  description,
  chosen,
  isMissing,
  error,
  isLater = false,
  find,
  hint,
  onChoose,
  onClear,
}: {
  label: string;
  description?: string | undefined;
  chosen: Named | undefined;
  isMissing: boolean;
  /** Another fault. */
  error?: string | undefined;
  /** It does not take the focus when its form opens. */
  isLater?: boolean;
  /** A hook. */
  find: (text: string | undefined) => readonly E[];
  hint?: (entry: E) => ReactNode;
  onChoose: (entry: E) => void;
  /** The user has deleted the text of a field that may stay empty. */
  onClear?: () => void;
}) => {
  const { t } = useTexts();
  /** Undefined: the user is not typing, and the field shows what is chosen. */
  const [typed, setTyped] = useState<string>();
  const entries = find(typed);
  const leave = (): void => setTyped(undefined);
  return (
    <div className="grow">
      <Combobox
        name={label}
        label={label}
        description={description}
        data-autofocus={!isLater || undefined}
        value={typed ?? plain(chosen?.label ?? '')}
        isTyping={typed !== undefined && typed.trim() !== ''}
        maxLength={128}
        error={isMissing ? t('dialog.choose') : error}
        more={entries.length > SHOWN ? t('players.pickMore') : undefined}
        choices={entries.slice(0, SHOWN).map((entry) => ({
          key: entry.name,
          content: (
            <>
              <strong>
                <Foreign>{entry.label}</Foreign>
              </strong>
              <span className="dim small">
                <Foreign>{entry.name}</Foreign>
                {hint?.(entry)}
              </span>
            </>
          ),
        }))}
        onType={(text) => {
          setTyped(text);
          if (text === '') onClear?.();
        }}
        onChoose={(index) => {
          const entry = entries[index];
          if (entry === undefined) return;
          setTyped(undefined);
          onChoose(entry);
        }}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={leave}
        onEscape={leave}
      />
    </div>
  );
};
