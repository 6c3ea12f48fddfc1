import { Button } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useKeptFilters } from '../filters.ts';
import { useTexts } from '../i18n.ts';
import { instantOf } from '../moment.ts';
import { CommandList } from '../parts/command-list.tsx';
import { MomentFilter, NameFilter, STATUSES, StatusFilter, TextFilter } from '../parts/journal-filters.tsx';
import { Page } from '../parts/page.tsx';
import { PlayerFilter } from '../parts/player-filter.tsx';
import { ServerSelect } from '../parts/server-select.tsx';
import { type CommandFilters, useCommands } from '../queries.ts';

const route = getRouteApi('/journal');
type Search = ReturnType<typeof route.useSearch>;

const filtersOf = ({ target, actor, serverId, name, status, since, until }: Search): CommandFilters => {
  const known = STATUSES.find((each) => each === status);
  const from = instantOf(since);
  const to = instantOf(until);
  return {
    ...(target !== undefined && { target }),
    ...(actor !== undefined && { actor }),
    ...(serverId !== undefined && { serverId }),
    ...(name !== undefined && { name }),
    ...(known !== undefined && { status: known }),
    ...(from !== undefined && { since: from }),
    ...(to !== undefined && { until: to }),
  };
};

/** All commands, newest first: the caller, the command, its target and its outcome. */
export const JournalPage = () => {
  const { t } = useTexts();
  const search = route.useSearch();
  useKeptFilters('/journal', search);
  const navigate = route.useNavigate();
  const filters = filtersOf(search);
  const commands = useCommands(filters);
  const rows = commands.data?.pages.flatMap(({ data }) => data) ?? [];
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
        <PlayerFilter
          target={search.target}
          name={rows.find(({ target }) => target === search.target)?.targetName}
          serverId={search.serverId}
          onChange={(target) => set({ target })}
        />
        <TextFilter
          name="actor"
          label={t('journal.actor')}
          hint={t('journal.actorHint')}
          onChange={(actor) => set({ actor })}
        />
        <ServerSelect value={search.serverId} onChange={(serverId) => set({ serverId })} />
        <NameFilter value={search.name} shown={rows.map(({ name }) => name)} onChange={(name) => set({ name })} />
        <StatusFilter value={search.status} onChange={(status) => set({ status })} />
        <MomentFilter name="since" label={t('journal.since')} onChange={(since) => set({ since })} />
        <MomentFilter name="until" label={t('journal.until')} onChange={(until) => set({ until })} />
      </div>
      <CommandList query={commands} filters={filters} empty={t('journal.empty')} />
    </Page>
  );
};
