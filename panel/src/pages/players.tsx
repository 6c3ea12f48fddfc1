import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useConnected } from '../api.ts';
import { useRows } from '../display.ts';
import { useKeptFilters, useTyped } from '../filters.ts';
import { useTexts, withTexts } from '../i18n.ts';
import { Page } from '../parts/page.tsx';
import { Failed, Loading } from '../parts/state.tsx';
import { accountOf, inOrder, useColumns } from '../players/columns.ts';
import { Chips, filterWords, isFiltered, SearchField, UNFILTERED, wantedText } from '../players/filters.tsx';
import { ListMenu, type Sort } from '../players/head.tsx';
import type { ManyKind } from '../players/many.tsx';
import { useOffers } from '../players/offers.ts';
import { boundsOf, keyOf, knownPlayers, type PlayerSearch, useFollowed, usePlayers } from '../players/query.ts';
import { useChosen } from '../players/selection.ts';
import { PayAll, SelectionBar, useAllFound } from '../players/selection-bar.tsx';
import { PlayerTable } from '../players/table.tsx';
import { useServerNames, useServers } from '../queries.ts';
import { useHeld } from '../still.ts';

const ManyDialog = lazy(() => withTexts(import('../players/many.tsx')));

const route = getRouteApi('/players');
/** A key after a pause, and a pasted text, are searched for at once; of keys in quick succession, the last one. */
const DEBOUNCE = { delay: 40, leading: true };

type Change = Partial<Record<keyof PlayerSearch, string | undefined>>;

/** Calls `open` when it is wanted and the typed search is answered. Returns a setter for whether it is wanted. */
const useOpening = (isAnswered: boolean, open: () => void) => {
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    if (!isWanted || !isAnswered) return;
    setWanted(false);
    open();
  });
  return setWanted;
};

const sortOf = ({ sort, account }: PlayerSearch): Sort => {
  if (sort === 'name' || sort === 'job') return sort;
  return sort === 'balance' && account !== undefined ? `account:${account}` : undefined;
};

/** The order of the list, which its address holds. */
const useSorting = (address: PlayerSearch, set: (change: Change) => void) => {
  const { t } = useTexts();
  const bounds = boundsOf(address);
  const account = (sort: Sort): string | undefined => (sort === undefined ? undefined : accountOf(sort));
  return {
    sort: sortOf(address),
    whyNot: (sort: Sort): string | undefined =>
      account(sort) !== undefined && bounds !== undefined && bounds.account !== account(sort)
        ? t('players.sortBlocked')
        : undefined,
    set: (sort: Sort): void => {
      const type = account(sort);
      const isSet = sortOf(address) === sort || sort === undefined;
      const kept = { account: bounds?.account };
      if (isSet) set({ sort: undefined, ...kept });
      else set(type === undefined ? { sort, ...kept } : { sort: 'balance', account: type });
    },
  };
};

/** When the shown data was read, if the hub does not answer since. */
const useStaleSince = ({ isRefetchError, dataUpdatedAt }: { isRefetchError: boolean; dataUpdatedAt: number }) => {
  const { locale } = useTexts();
  const isConnected = useConnected();
  if ((isConnected && !isRefetchError) || dataUpdatedAt === 0) return undefined;
  return new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(new Date(dataUpdatedAt));
};

/** Finds a player in seconds: `/` to search, arrows to move, Enter to open. The address contains the search text. */
export const PlayersPage = () => {
  const { t, count, number, texts } = useTexts();
  const address: PlayerSearch = route.useSearch();
  const navigate = route.useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const table = useRef<HTMLDivElement>(null);

  const set = (change: Change): void => {
    const next = Object.entries<string | undefined>({ ...address, ...change });
    void navigate({ search: Object.fromEntries(next.filter(([, value]) => value !== undefined)), replace: true });
  };
  useKeptFilters('/players', address);
  const [typed, setTyped] = useTyped('search', (search) => set({ search }), DEBOUNCE);
  const type = (text: string): void => {
    setTyped(text);
    setOpening(false);
  };

  const client = useQueryClient();
  const query = usePlayers(address);
  const pages = query.data?.pages ?? [];
  const answered = pages.flatMap(({ data }) => data);
  const isAnswered = query.isSuccess && !query.isPlaceholderData && typed.trim() === (address.search ?? '');
  const setOpening = useOpening(isAnswered, () => {
    const [first] = answered;
    if (first === undefined) return;
    const { serverId, identifier } = first;
    void navigate({ to: '/players/$serverId/$identifier', params: { serverId, identifier }, search: {} });
  });
  const early = knownPlayers(client, isAnswered ? '' : typed.trim(), address);
  const isEarly = early.length > 0;
  const listed = isEarly ? early : answered;
  // Rows of an earlier visit are replaced at once.
  const isOld = query.isPlaceholderData || isEarly || !query.isFetchedAfterMount;
  const list = isOld ? undefined : JSON.stringify(address);
  const { rows: held, news, isMoved, release } = useHeld(listed, keyOf, list);
  const rows = useFollowed(held, listed);

  const { data: servers = [] } = useServers();
  const accounts = inOrder(servers.flatMap(({ bridge }) => bridge?.accounts ?? []));
  const offers = useOffers();
  const serverNames = useServerNames();
  const columns = useColumns(rows, accounts, servers.length !== 1);
  const sorting = useSorting(address, set);
  const { isPhone } = useRows();
  const pagination = pages[0]?.pagination;
  const total = pagination?.total ?? 0;
  const counted = pagination === undefined || pagination.totalIsLowerBound || isEarly ? undefined : total;
  const { chosen, choice, clear, add } = useChosen(rows, counted);
  const { all, end, toggle } = useAllFound(address, counted, {
    ...{ choice, add, clear },
    addShown: () => {
      release();
      add(listed);
    },
  });
  const [isChoosing, setChoosing] = useState(false);
  const isAnnounced = chosen.every(({ serverId }) =>
    servers.some((server) => server.serverId === serverId && server.bridge?.commands.includes('announce@2') === true),
  );
  const [many, setMany] = useState<ManyKind>();
  const since = useStaleSince(query);

  const found = pagination?.totalIsLowerBound
    ? t('players.countMore', { count: number(total) })
    : count('players.count', total);
  const known = { address, players: rows, servers };
  const wanted = wantedText(texts, known);
  // A whole page of new rows may be more of them.
  const newsText =
    news > 0 && news < answered.length ? count('players.news', news) : isMoved ? t('players.moved') : undefined;
  const clearAll = (): void => {
    type('');
    set(UNFILTERED);
  };
  const fresh =
    newsText === undefined || isEarly ? null : (
      <button type="button" className="link" onClick={release}>
        {newsText}
      </button>
    );
  const actions = (
    <>
      {/* Beside the chips, it would push one of them into another line. */}
      {isPhone ? null : fresh}
      {isFiltered(address) && isAnswered && counted !== undefined && chosen.length === 0 ? (
        <PayAll key={JSON.stringify(address)} address={address} found={counted} label={filterWords(texts, known)} />
      ) : null}
      <ListMenu
        columns={columns}
        sorting={sorting}
        isChoosing={isChoosing}
        onChoosing={isPhone ? setChoosing : undefined}
      />
    </>
  );

  return (
    <Page title={t('nav.players')} actions={actions}>
      <div className="filter-line">
        <SearchField
          ref={field}
          value={typed}
          onType={type}
          onEnter={() => setOpening(true)}
          onLeave={() => setOpening(false)}
          onDown={() => table.current?.querySelector('a')?.focus()}
        />
        <Chips {...known} accounts={accounts} set={set} />
        <p className="total">
          {isPhone && fresh !== null ? <>{fresh} · </> : null}
          <span role="status">{isEarly || query.data === undefined ? '\u00A0' : found}</span>
          {since === undefined ? null : <span className="stale"> · {t('players.asOf', { time: since })}</span>}
        </p>
      </div>
      {query.error !== null && query.data === undefined ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <Loading lines={14} head={isPhone ? null : <div className="player-head" />} />
      ) : rows.length === 0 ? (
        <div className="empty" role="status">
          {wanted === '' ? (
            <p>
              {t('players.none')} <Link to="/servers">{t('players.connect')}</Link>
            </p>
          ) : (
            <p>
              {t('players.empty', { what: wanted })}{' '}
              <button type="button" className="link" onClick={clearAll}>
                {t('players.clear')}
              </button>
            </p>
          )}
        </div>
      ) : (
        <PlayerTable
          ref={table}
          players={rows}
          total={total}
          columns={columns.shown}
          serverNames={serverNames}
          offers={offers}
          choice={choice}
          onAll={toggle}
          hasBoxes={!isPhone || isChoosing || chosen.length > 0}
          sorting={sorting}
          field={field}
          more={isEarly ? { ...query, hasNextPage: false } : query}
        />
      )}
      {chosen.length === 0 ? null : (
        <SelectionBar
          chosen={chosen}
          found={counted}
          all={all}
          isAnnounced={isAnnounced}
          onMany={setMany}
          onClear={() => {
            end();
            setChoosing(false);
          }}
        />
      )}
      {many === undefined ? null : (
        <Suspense>
          <ManyDialog kind={many} players={chosen} isAnnounced={isAnnounced} onClose={() => setMany(undefined)} />
        </Suspense>
      )}
    </Page>
  );
};
