import { useRows, useWide } from '../display.ts';
import { type Texts, useTexts } from '../i18n.ts';
import { Icon } from '../parts/icon.tsx';
import { Menu, MenuChoice, MenuItem } from '../parts/menu.tsx';
import { plain } from '../parts/text.tsx';
import { accountOf, type Column, chooseColumn, type Shown } from './columns.ts';
import { asGroup, asHeader, asRow } from './roles.ts';
import { classOf } from './row.tsx';

export const ListMenu = ({
  columns: { all, shown },
  sorting,
  isChoosing,
  onChoosing,
}: {
  columns: { all: readonly Column[]; shown: readonly Shown[] };
  sorting: Sorting;
  isChoosing: boolean;
  /** Shows the boxes, or not; undefined: they are always there. */
  onChoosing: ((isChoosing: boolean) => void) | undefined;
}) => {
  const { t, texts } = useTexts();
  const { isPhone } = useRows();
  const isWide = useWide();
  const sorts: [Sort, string][] = [
    [undefined, t('players.column.here')],
    ['name', t('common.name')],
    ...all
      .filter((column) => column === 'job' || column.startsWith('account:'))
      .map((column): [Sort, string] => [column as Sort, columnName(texts, column)]),
  ];
  return (
    <Menu className="ghost" name={t('players.menu')} label={<Icon name="more" />}>
      {onChoosing === undefined ? null : (
        <MenuItem onClick={() => onChoosing(!isChoosing)}>
          {t(isChoosing ? 'players.selectEnd' : 'players.select')}
        </MenuItem>
      )}
      {isPhone ? (
        <>
          <p className="menu-head">{t('players.sort')}</p>
          {sorts.map(([sort, name]) => (
            <MenuChoice
              key={name}
              isChosen={sorting.sort === sort}
              onClick={() => (sorting.sort === sort ? undefined : sorting.set(sort))}
            >
              {name}
            </MenuChoice>
          ))}
        </>
      ) : (
        <>
          <p className="menu-head">{t('players.columns')}</p>
          {all.map((column) => {
            const isShown = shown.some((each) => each.column === column && (isWide || each.reach !== 'wide'));
            return (
              <button
                key={column}
                type="button"
                role="menuitemcheckbox"
                aria-checked={isShown}
                className="place"
                onClick={(event) => {
                  // The menu stays: several columns are chosen in a row.
                  event.stopPropagation();
                  chooseColumn(column, !isShown);
                }}
              >
                <span>{columnName(texts, column)}</span>
              </button>
            );
          })}
        </>
      )}
    </Menu>
  );
};

/** An order of the list: by the last visit if there is none. */
export type Sort = 'name' | 'job' | `account:${string}` | undefined;
export type Sorting = {
  sort: Sort;
  /** The reason why the list cannot be sorted so; undefined: it can. */
  whyNot: (sort: Sort) => string | undefined;
  set: (sort: Sort) => void;
};

const columnName = ({ t }: Texts, column: Column): string => {
  const account = accountOf(column);
  return account === undefined ? t(`players.column.${column as Exclude<Column, `account:${string}`>}`) : plain(account);
};

/** The order after a click on the heading of a column; null: none. */
const sortOf = (column: Column): Sort | null => {
  if (column === 'here') return undefined;
  return column === 'job' || column.startsWith('account:') ? (column as Sort) : null;
};

const Heading = ({ name, of, sorting }: { name: string; of: Sort; sorting: Sorting }) => {
  const whyNot = sorting.whyNot(of);
  return (
    <button
      type="button"
      className="heading"
      title={whyNot}
      aria-disabled={whyNot !== undefined}
      onClick={() => (whyNot === undefined ? sorting.set(of) : undefined)}
    >
      <bdi>{name}</bdi>
      {sorting.sort === of ? <Icon name="down" /> : null}
    </button>
  );
};

/** The head of the list, which stays while the rows are scrolled. */
export const Head = ({
  columns,
  sorting,
  isAll,
  isSome,
  onAll,
}: {
  columns: readonly Shown[];
  sorting: Sorting;
  isAll: boolean;
  isSome: boolean;
  /** Chooses all rows, or none; undefined: there are no boxes. */
  onAll: (() => void) | undefined;
}) => {
  const { t, texts } = useTexts();
  const sortedIf = (isSorted: boolean, way: 'ascending' | 'descending') => (isSorted ? { 'aria-sort': way } : {});
  return (
    <div {...asGroup()} className="player-head">
      <div {...asRow({ 'aria-rowindex': 1 })}>
        {onAll === undefined ? null : (
          <span {...asHeader()} className="box">
            <input
              type="checkbox"
              checked={isAll}
              ref={(box) => {
                if (box !== null) box.indeterminate = isSome && !isAll;
              }}
              aria-label={t('players.chooseAll')}
              onChange={onAll}
            />
          </span>
        )}
        <span {...asHeader(sortedIf(sorting.sort === 'name', 'ascending'))} className="name">
          <Heading name={t('common.name')} of="name" sorting={sorting} />
        </span>
        {columns.map((shown) => {
          const { column } = shown;
          const of = sortOf(column);
          const isSorted = of !== null && sorting.sort === of;
          return (
            <span
              key={column}
              {...asHeader(sortedIf(isSorted, column === 'job' ? 'ascending' : 'descending'))}
              className={classOf(shown)}
            >
              {of === null ? (
                columnName(texts, column)
              ) : (
                <Heading name={columnName(texts, column)} of={of} sorting={sorting} />
              )}
            </span>
          );
        })}
        <span {...asHeader()} className="acts">
          <span className="unseen">{t('players.column.actions')}</span>
        </span>
      </div>
    </div>
  );
};
