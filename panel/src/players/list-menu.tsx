import { useTexts } from '../i18n.ts';
import { Icon } from '../parts/icon.tsx';
import { Menu, MenuChoice, MenuItem } from '../parts/menu.tsx';
import { type Column, chooseColumn, type Shown } from './columns.ts';
import { columnName, type Sort, type Sorting } from './head.tsx';
import { useRows, useWide } from './layout.ts';

/** The menu of the list: its orders and its columns. */
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
  const texts = useTexts();
  const { t } = texts;
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
