import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useBatches } from '../batches.ts';
import { hubNow, instantOf } from '../clock.ts';
import { useKeptFilters } from '../filters.ts';
import { useTexts } from '../i18n.ts';
import { statusesOf } from '../outcomes.ts';
import { Segments } from '../parts/chips.tsx';
import { Button } from '../parts/controls.tsx';
import { Icon } from '../parts/icon.tsx';
import {
  ActorChip,
  BatchesChip,
  ClearFilters,
  DirectionChip,
  MomentFilter,
  NameChip,
  ServerChip,
  StateChip,
  useFilterWords,
} from '../parts/journal-filters.tsx';
import { JournalRows, type Lists } from '../parts/journal-rows.tsx';
import { Menu } from '../parts/menu.tsx';
import { Page } from '../parts/page.tsx';
import { PlayerFilter } from '../parts/player-filter.tsx';
import { Empty, Failed, Loading } from '../parts/state.tsx';
import { SumsLine } from '../parts/sums.tsx';
import { type CommandFilters, useCommands, useSums } from '../queries.ts';

const route = getRouteApi('/journal');
type Search = ReturnType<typeof route.useSearch>;

const RANGES = ['1', '7', '30', 'custom'] as const;
type Range = (typeof RANGES)[number];

/** The range of an address: seven days, unless it names another one or two times. */
const rangeOf = ({ range, since, until }: Search): Range =>
  RANGES.find((each) => each === range) ?? (since === undefined && until === undefined ? '7' : 'custom');

/** The beginning of today, or of the day as many days before that make `days` with today. */
const startOf = (days: number): string => {
  const day = new Date(hubNow());
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - days + 1);
  return day.toISOString();
};

const timesOf = (search: Search): Pick<CommandFilters, 'since' | 'until'> => {
  const range = rangeOf(search);
  if (range !== 'custom') return { since: startOf(Number(range)) };
  return { since: instantOf(search.since), until: instantOf(search.until) };
};

const filtersOf = (search: Search): CommandFilters => {
  const { target, actor, serverId, name, status, direction } = search;
  return {
    ...{ target, actor, serverId, name },
    status: statusesOf(status) && status,
    direction: direction === 'give' || direction === 'take' ? direction : undefined,
    ...timesOf(search),
  };
};

/** A batch has no player, state or direction: with these filters its commands stand for themselves. */
const canFold = (filters: CommandFilters): boolean =>
  [filters.target, filters.status, filters.direction].every((each) => each === undefined);

/** The filters beside the time. */
const CHOICES = ['target', 'actor', 'serverId', 'name', 'status', 'direction', 'batches'] as const;

/** The commands that match the filters. `children`: shown if there are none, to find more. */
const Found = ({
  list,
  wanted,
  children,
  ...lists
}: Lists & {
  list: string;
  /** The filters in words. */
  wanted: string;
  children: ReactNode;
}) => {
  const { t } = useTexts();
  const queries = [lists.commands, lists.batches].filter((query) => query !== undefined);
  const wrong = queries.find(({ error, data }) => error !== null && data === undefined);
  if (wrong !== undefined) return <Failed error={wrong.error} retry={() => void wrong.refetch()} />;
  if (queries.some(({ data }) => data === undefined)) return <Loading lines={12} />;
  if (queries.every(({ data }) => data?.pages.every((page) => page.data.length === 0) === true)) {
    return (
      <Empty title={wanted === '' ? t('journal.empty') : t('list.nothingWith', { what: wanted })}>
        <div className="row">{children}</div>
      </Empty>
    );
  }
  const isOld = queries.some(({ isPlaceholderData }) => isPlaceholderData);
  return <JournalRows {...lists} list={isOld ? undefined : list} />;
};

/** All commands, newest first: the caller, the command, its target and its outcome. */
export const JournalPage = () => {
  const { t } = useTexts();
  const search = route.useSearch();
  useKeptFilters('/journal', search);
  const navigate = route.useNavigate();
  const filters = filtersOf(search);
  const { target: _target, status: _status, direction: _direction, ...ofBatches } = filters;
  const isFolded = canFold(filters);
  const isOnly = isFolded && search.batches === 'only';
  const isWithout = search.batches === 'none';
  const shown: CommandFilters = { ...filters, ...((isWithout || isFolded) && { batches: 'none' }) };
  const commands = useCommands(shown, !isOnly);
  const areFolded = isFolded && !isWithout;
  const batches = useBatches(ofBatches, areFolded);
  /** The commands of folded batches count, too. */
  const counted: CommandFilters = { ...filters, ...(isWithout && { batches: 'none' }) };
  const sums = useSums(counted, !isOnly);
  const rows = isOnly ? [] : (commands.data?.pages.flatMap(({ data }) => data) ?? []);
  const set = (change: Partial<Search>): void => {
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  };
  const clear = (): void => set(Object.fromEntries(CHOICES.map((name) => [name, undefined])));
  const count = CHOICES.filter((name) => search[name] !== undefined).length;
  const known = new Map([...rows, ...(sums.data?.data ?? [])].map(({ actor }) => [actor.keyId, actor.name]));
  const given = Object.entries(counted).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const csv = `/api/v2/commands.csv?${new URLSearchParams(given)}`;
  const range = rangeOf(search);
  const words = useFilterWords();
  return (
    <Page
      title={t('nav.journal')}
      actions={
        // The export knows no "only batches": each batch has its own.
        isOnly ? null : (
          <Menu className="ghost" name={t('nav.more')} label={<Icon name="more" />}>
            <a role="menuitem" className="place" href={csv} download="journal.csv">
              <span>{t('journal.csv')}</span>
            </a>
          </Menu>
        )
      }
    >
      <div className="filter-line">
        <PlayerFilter
          placeholder={t('journal.player')}
          target={search.target}
          name={rows.find(({ target }) => target === search.target)?.targetName}
          serverId={search.serverId}
          onChange={(target) => set({ target, ...(target !== undefined && isOnly && { batches: undefined }) })}
        />
        <div className="chips">
          <Segments
            label={t('journal.range')}
            value={range}
            options={RANGES.map((each) => [each, t(`journal.range.${each}`)] as const)}
            onChange={(each) => set({ range: each === '7' ? undefined : each, since: undefined, until: undefined })}
          />
          {range === 'custom' ? (
            <>
              <MomentFilter name="since" label={t('journal.since')} onChange={(since) => set({ range, since })} />
              <MomentFilter name="until" label={t('journal.until')} onChange={(until) => set({ range, until })} />
            </>
          ) : null}
          <ServerChip value={search.serverId} onChange={(serverId) => set({ serverId })} />
          <ActorChip value={search.actor} known={known} onChange={(actor) => set({ actor })} />
          <NameChip value={search.name} shown={rows.map(({ name }) => name)} onChange={(name) => set({ name })} />
          <StateChip
            value={search.status}
            onChange={(status) => set({ status, ...(isOnly && { batches: undefined }) })}
          />
          {search.name === 'money' || search.direction !== undefined ? (
            <DirectionChip
              value={search.direction}
              onChange={(direction) => set({ direction, ...(isOnly && { batches: undefined }) })}
            />
          ) : null}
          <BatchesChip
            value={search.batches}
            onChange={(each) =>
              set({
                batches: each,
                ...(each === 'only' && { target: undefined, status: undefined, direction: undefined }),
              })
            }
          />
          <ClearFilters count={count} onClear={clear} />
        </div>
      </div>
      <SumsLine
        sums={isOnly ? undefined : sums.data}
        onChoose={({ actor, direction }) =>
          set({ name: 'money', status: 'succeeded', direction, ...(actor !== undefined && { actor }) })
        }
      />
      <Found
        commands={isOnly ? undefined : commands}
        batches={areFolded ? batches : undefined}
        list={JSON.stringify([shown, search.batches])}
        wanted={words({ ...search, actor: search.actor && (known.get(search.actor) ?? search.actor) })}
      >
        {range === 'custom' ? null : <Button onClick={() => set({ range: 'custom' })}>{t('journal.allTimes')}</Button>}
        {count === 0 ? null : <Button onClick={clear}>{t('filter.clear')}</Button>}
      </Found>
    </Page>
  );
};
