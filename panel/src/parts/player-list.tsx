import { Badge } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react';
import type { PlayerSummary } from '../api.ts';
import { useTexts } from '../i18n.ts';
import type { useStill } from '../still.ts';
import { Foreign } from './text.tsx';
import { Ago } from './time.tsx';

const ROW_PX = 56;
/** Reads the next page when this many rows are left. */
const AHEAD = 40;

/** The accounts that staff ask for first; of the others there may be many. */
const firstAccounts = (accounts: PlayerSummary['accounts']) =>
  Object.entries(accounts)
    .toSorted(([a], [b]) => Number(isUsual(b)) - Number(isUsual(a)))
    .slice(0, 2);
const isUsual = (type: string): boolean => type === 'bank' || type === 'cash' || type === 'money';

type More = { hasNextPage: boolean; isFetchingNextPage: boolean; isError: boolean; fetchNextPage: () => unknown };

const Row = ({ player }: { player: PlayerSummary }) => {
  const { t, number } = useTexts();
  const { serverId, identifier, online, accounts } = player;
  return (
    <Link to="/players/$serverId/$identifier" params={{ serverId, identifier }} className="player">
      <span className={online ? 'dot on' : 'dot'} aria-hidden="true" />
      <span className="who">
        <strong>
          <Foreign>{player.name}</Foreign>
        </strong>
        <span className="dim small">
          <Foreign>{identifier}</Foreign>
        </span>
      </span>
      <span className="dim small wide">{serverId}</span>
      <span className="money wide">
        {firstAccounts(accounts).map(([type, balance]) => (
          <span key={type} className="small">
            <span className="dim">{type}</span> {number(balance)}
          </span>
        ))}
      </span>
      <span className="seen">
        {online ? (
          <Badge color="green" variant="light">
            {t('state.online')}
          </Badge>
        ) : (
          <span className="dim small">
            <Ago iso={player.lastSeenAt} />
          </span>
        )}
      </span>
    </Link>
  );
};

/** Rows of a list that may be very long: only visible rows are in the DOM, and more are read before they are needed. */
export const PlayerList = ({
  ref,
  players,
  pointer,
  field,
  more,
}: {
  ref: RefObject<HTMLUListElement | null>;
  players: readonly PlayerSummary[];
  /** Listeners that report whether the pointer is over the list. */
  pointer: ReturnType<typeof useStill>['pointer'];
  field: RefObject<HTMLInputElement | null>;
  more: More;
}) => {
  const { t } = useTexts();
  const wanted = useRef<number>(undefined);
  const virtualizer = useWindowVirtualizer({
    count: players.length,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollMargin: ref.current?.offsetTop ?? 0,
  });
  const rows = virtualizer.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = more;

  useEffect(() => {
    if (last >= players.length - AHEAD && hasNextPage && !isFetchingNextPage && !isError) fetchNextPage();
  }, [last, players.length, hasNextPage, isFetchingNextPage, isError, fetchNextPage]);

  const focusOn = (index: number): void => {
    const row = ref.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`);
    wanted.current = row === null || row === undefined ? index : undefined;
    if (row !== null && row !== undefined) row.focus();
  };
  useEffect(() => {
    if (wanted.current !== undefined) focusOn(wanted.current);
  });

  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    const at = Number((event.target as Element).closest('[data-index]')?.getAttribute('data-index') ?? 0);
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.min(at + step, players.length - 1);
    if (next < 0) return field.current?.focus();
    virtualizer.scrollToIndex(next, { align: 'auto' });
    focusOn(next);
  };

  return (
    <ul
      ref={ref}
      className="players"
      aria-label={t('players.list')}
      style={{ height: virtualizer.getTotalSize() }}
      onKeyDown={move}
      {...pointer}
    >
      {rows.map(({ index, start }) => {
        const player = players[index];
        return player === undefined ? null : (
          <li
            key={`${player.serverId} ${player.identifier}`}
            data-index={index}
            style={{ transform: `translateY(${start - virtualizer.options.scrollMargin}px)` }}
          >
            <Row player={player} />
          </li>
        );
      })}
    </ul>
  );
};
