import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { hub, type PlayerSummary } from '../api.ts';
import { useSettled } from '../filters.ts';
import { useTexts } from '../i18n.ts';
import { namedPlayer } from '../names.ts';
import { useMay } from '../session.ts';
import { Chooser, choiceOf } from './combobox.tsx';
import type { TextFieldProps } from './controls.tsx';
import { isolated } from './text.tsx';
import { Who } from './who.tsx';

const IDENTIFIER = /^[A-Za-z0-9:_.@-]{1,128}$/;
const DEBOUNCE_MS = 120;
/** More than are shown, so that the list says that there are more. */
const ASKED = 12;
/** The place of a typed identifier: it is shown however many were found. */
const LAST = 5;

/** A player who was found, or the identifier that was typed. */
type Player = PlayerSummary | { identifier: string; name?: undefined };

/**
 * Possible players for a text: those with it in their name or identifier, and the player with exactly this identifier.
 */
const useChoices = (text: string, serverId: string | undefined): Player[] => {
  const may = useMay();
  const search = useSettled(text, DEBOUNCE_MS);
  const isAsked = may('players:read') && search !== '';
  const query = useQuery({
    queryKey: ['named', search, serverId],
    queryFn: ({ signal }) =>
      hub.request('get', '/api/v2/players', { query: { limit: ASKED, search, serverId } }, { signal }),
    enabled: isAsked,
  });
  if (text === '') return [];
  const found = search === text ? (query.data?.data.map(namedPlayer) ?? []) : [];
  // A player of several servers is one choice.
  const choices: Player[] = [...new Map(found.map((each) => [each.identifier, each])).values()];
  // A part of a name must not be taken for an identifier before the hub has answered.
  const isSettled = !may('players:read') || (search === text && !query.isPending) || text.includes(':');
  const isOther = isSettled && IDENTIFIER.test(text) && !choices.some(({ identifier }) => identifier === text);
  return isOther ? choices.toSpliced(LAST, 0, { identifier: text }) : choices;
};

/** Chooses a player by a part of the name, or by the whole identifier; `name` is that of the chosen one, if it is known. */
export const PlayerFilter = ({
  label,
  target,
  name,
  serverId,
  onChange,
  ...field
}: Pick<TextFieldProps, 'label' | 'description' | 'error' | 'placeholder'> & {
  target: string | undefined;
  name: string | undefined;
  serverId: string | undefined;
  onChange: (target: string | undefined) => void;
}) => {
  const { t } = useTexts();
  const [picked, setPicked] = useState<Player>();
  const known = name ?? (picked?.identifier === target ? picked?.name : undefined);
  const useFound = (text: string | undefined) => useChoices(text?.trim() ?? '', serverId);
  return (
    <Chooser
      placeholder={t('journal.playerHint')}
      {...field}
      label={label ?? t('journal.player')}
      title={target}
      chosen={known ?? target ?? ''}
      find={useFound}
      choice={(choice) =>
        choice.name === undefined
          ? {
              key: choice.identifier,
              content: t('journal.playerExactly', { identifier: isolated(choice.identifier) }),
            }
          : choiceOf(choice.identifier, choice.name, <Who player={choice} />)
      }
      onChoose={(choice) => {
        setPicked(choice);
        onChange(choice.identifier);
      }}
      onClear={() => onChange(undefined)}
    />
  );
};
