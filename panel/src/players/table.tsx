import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { PlayerSummary } from '../api.ts';
import { useRows } from '../display.ts';
import { useTexts } from '../i18n.ts';
import { type Shown, tracksOf } from './columns.ts';
import { Head, type Sorting } from './head.tsx';
import type { Offers } from './offers.ts';
import { keyOf } from './query.ts';
import { asGroup, asRow, asTable } from './roles.ts';
import { PhoneRow, Row } from './row.tsx';
import type { Choice } from './selection.ts';

/** Reads the next page when this many rows are left. */
const AHEAD = 40;
const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };

type More = { hasNextPage: boolean; isFetchingNextPage: boolean; isError: boolean; fetchNextPage: () => unknown };

/** Where a key press or a click in the rows belongs: not to a control, and not to a menu that lies above them. */
const isOfControl = (target: Element): boolean => target.closest('a, button, input, [popover]') !== null;

/** Rows of a list that may be very long: only visible rows are in the DOM, and more are read before they are needed. */
export const PlayerTable = ({
  ref,
  players,
  total,
  columns,
  serverNames,
  offers,
  choice,
  onAll,
  hasBoxes,
  sorting,
  field,
  more,
}: {
  ref: RefObject<HTMLDivElement | null>;
  players: readonly PlayerSummary[];
  total: number;
  columns: readonly Shown[];
  serverNames: ReadonlyMap<string, string>;
  offers: Offers;
  choice: Choice;
  /** Chooses all players found, or none. */
  onAll: () => void;
  hasBoxes: boolean;
  sorting: Sorting;
  field: RefObject<HTMLInputElement | null>;
  more: More;
}) => {
  const { t } = useTexts();
  const { isPhone, height } = useRows();
  const wanted = useRef<number>(undefined);
  const [active, setActive] = useState<string>();
  const virtualizer = useWindowVirtualizer({
    count: players.length,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: ref.current?.offsetTop ?? 0,
  });
  useLayoutEffect(() => {
    if (height > 0) virtualizer.measure();
  }, [virtualizer, height]);
  const rows = virtualizer.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = more;
  const activeAt = rows.find(({ index }) => active !== undefined && keyAt(index) === active)?.index ?? rows[0]?.index;

  useEffect(() => {
    if (last >= players.length - AHEAD && hasNextPage && !isFetchingNextPage && !isError) fetchNextPage();
  }, [last, players.length, hasNextPage, isFetchingNextPage, isError, fetchNextPage]);

  function keyAt(index: number): string | undefined {
    const player = players[index];
    return player && keyOf(player);
  }
  const focusOn = (index: number): void => {
    const link = ref.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`);
    wanted.current = link === null || link === undefined ? index : undefined;
    link?.focus();
  };
  useEffect(() => {
    if (wanted.current !== undefined) focusOn(wanted.current);
  });
  const indexOf = (target: Element): number => Number(target.closest('[data-index]')?.getAttribute('data-index') ?? -1);

  const press = (event: KeyboardEvent): void => {
    const target = event.target as Element;
    const at = indexOf(target);
    if (at < 0 || target.closest('[popover]') !== null) return;
    if (event.key === ' ' && target.tagName === 'A') {
      event.preventDefault();
      choice.toggle(at);
      return;
    }
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.min(at + step, players.length - 1);
    if (next < 0) return field.current?.focus();
    if (event.shiftKey) choice.extend(at, next);
    else choice.leave();
    virtualizer.scrollToIndex(next, { align: 'auto' });
    focusOn(next);
  };
  const click = (event: MouseEvent): void => {
    const target = event.target as Element;
    const at = indexOf(target);
    if (at < 0) return;
    if (target instanceof HTMLInputElement || target.classList.contains('box')) {
      if (event.shiftKey) choice.extendTo(at);
      else choice.toggle(at);
      return;
    }
    if (isOfControl(target) || window.getSelection()?.toString() !== '') return;
    target.closest('[data-index]')?.querySelector('a')?.click();
  };

  const tracks = tracksOf(columns, hasBoxes);
  const style = { '--small': tracks.small, '--desk': tracks.desk, '--wide': tracks.wide, '--row': `${height}px` };
  const Line = isPhone ? PhoneRow : Row;
  return (
    <div
      {...asTable({ 'aria-label': t('players.list'), 'aria-rowcount': total + 1 })}
      className={hasBoxes ? 'players boxes' : 'players'}
      style={style as Record<string, string>}
    >
      {isPhone ? null : (
        <Head
          columns={columns}
          sorting={sorting}
          isAll={choice.isAll}
          isSome={choice.isSome}
          onAll={hasBoxes ? onAll : undefined}
        />
      )}
      <div
        ref={ref}
        {...asGroup()}
        className="player-rows"
        style={{ height: virtualizer.getTotalSize() }}
        {...{
          onKeyDown: press,
          onClick: click,
          onFocus: ({ target }: FocusEvent) => setActive(keyAt(indexOf(target))),
        }}
      >
        {rows.map(({ index, start }) => {
          const player = players[index];
          if (player === undefined) return null;
          const key = keyOf(player);
          const isChosen = choice.has(key);
          return (
            <div
              key={key}
              {...asRow({ 'aria-rowindex': index + 2 })}
              data-index={index}
              data-chosen={isChosen || undefined}
              className="player"
              style={{ transform: `translateY(${start - virtualizer.options.scrollMargin}px)` }}
            >
              <Line
                player={player}
                columns={columns}
                serverNames={serverNames}
                offers={offers}
                isActive={index === activeAt}
                isChosen={hasBoxes ? isChosen : undefined}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
};
