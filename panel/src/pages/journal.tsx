import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Command } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { CommandList } from '../parts/command-list.tsx';
import { Page } from '../parts/page.tsx';
import { ServerSelect } from '../parts/server-select.tsx';
import { type CommandFilters, useCommands } from '../queries.ts';

const route = getRouteApi('/journal');
type Search = ReturnType<typeof route.useSearch>;

const STATUSES: Command['status'][] = [
  'accepted',
  'dispatched',
  'succeeded',
  'rejected',
  'failed',
  'voided',
  'expired',
  'indeterminate',
  'resolved_applied',
  'resolved_not_applied',
];
const DEBOUNCE_MS = 250;

/** A local time as it stands in the field, as the hub wants it; nothing while it is not one. */
const instantOf = (local: string | undefined): string | undefined => {
  const at = local === undefined ? Number.NaN : Date.parse(local);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
};

const filtersOf = ({ target, actor, serverId, status, since, until }: Search): CommandFilters => {
  const known = STATUSES.find((each) => each === status);
  const from = instantOf(since);
  const to = instantOf(until);
  return {
    ...(target !== undefined && { target }),
    ...(actor !== undefined && { actor }),
    ...(serverId !== undefined && { serverId }),
    ...(known !== undefined && { status: known }),
    ...(from !== undefined && { since: from }),
    ...(to !== undefined && { until: to }),
  };
};

/** A filter that is typed: the address follows when the typing pauses. */
const TextFilter = ({
  label,
  hint,
  value,
  onChange,
  type = 'text',
}: {
  label: string;
  hint?: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  type?: 'text' | 'datetime-local';
}) => {
  const [typed, setTyped] = useState(value ?? '');
  const settle = useDebouncedCallback((text: string) => onChange(text === '' ? undefined : text), DEBOUNCE_MS);
  return (
    <TextInput
      className={type === 'text' ? '' : 'moment'}
      label={label}
      type={type}
      value={typed}
      maxLength={128}
      {...(hint !== undefined && { placeholder: hint })}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        settle(event.currentTarget.value.trim());
      }}
    />
  );
};

/** Every command, newest first: who did what to whom, and what came of it. */
export const JournalPage = () => {
  const { t } = useTexts();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filters = filtersOf(search);
  const commands = useCommands(filters);
  const set = (change: Partial<Search>): void => {
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  };
  const csv = `/api/v2/commands.csv?${new URLSearchParams(Object.entries(filters).map(([name, value]) => [name, String(value)]))}`;
  return (
    <Page
      title={t('journal.title')}
      actions={
        <Button component="a" href={csv} download="journal.csv" variant="default">
          {t('journal.csv')}
        </Button>
      }
    >
      <div className="filters even">
        <TextFilter
          label={t('journal.player')}
          hint={t('journal.playerHint')}
          value={search.target}
          onChange={(target) => set({ target })}
        />
        <TextFilter
          label={t('journal.actor')}
          hint={t('journal.actorHint')}
          value={search.actor}
          onChange={(actor) => set({ actor })}
        />
        <ServerSelect value={search.serverId} onChange={(serverId) => set({ serverId })} />
        <NativeSelect
          label={t('journal.outcome')}
          value={search.status ?? ''}
          onChange={(event) =>
            set({ status: event.currentTarget.value === '' ? undefined : event.currentTarget.value })
          }
          data={[
            { value: '', label: t('common.all') },
            ...STATUSES.map((status) => ({ value: status, label: t(`status.${status}`) })),
          ]}
        />
        <TextFilter
          label={t('journal.since')}
          type="datetime-local"
          value={search.since}
          onChange={(since) => set({ since })}
        />
        <TextFilter
          label={t('journal.until')}
          type="datetime-local"
          value={search.until}
          onChange={(until) => set({ until })}
        />
      </div>
      <CommandList query={commands} empty={t('journal.empty')} />
    </Page>
  );
};
