import type { ReactNode } from 'react';
import { useTexts } from '../i18n.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';

export type Column<T> = {
  /** The head of the column; unique in its table. */
  head: string;
  /** Pixels; undefined: what is left. */
  width?: number;
  /** `name`: what a row is called; `number`: at the right; `from-…`: not in narrower windows. */
  className?: string;
  cell: (row: T) => ReactNode;
};

/**
 * Rows of one line, on phones of two: the name above the rest. `menu`: the actions of a row, behind ⋯. A column without a
 * value in any row keeps its place, and only screen readers get its head.
 */
export const Table = <T,>({
  label,
  columns,
  rows,
  keyOf,
  nameOf,
  isEnded,
  menu,
  rowClass,
  empty,
}: {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  nameOf: (row: T) => string;
  isEnded?: (row: T) => boolean;
  menu?: ((row: T) => ReactNode) | undefined;
  rowClass?: string;
  /** Instead of a table without rows. */
  empty?: ReactNode;
}) => {
  const { t } = useTexts();
  if (rows.length === 0 && empty !== undefined) return empty;
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
  const isEmpty = (column: number): boolean =>
    rows.length > 0 && cells.every(({ [column]: cell }) => cell == null || cell === '');
  return (
    <table className="rows" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ head, width, className }, column) => (
            <th key={head} scope="col" className={className} style={{ width }}>
              {isEmpty(column) ? <span className="unseen">{head}</span> : head}
            </th>
          ))}
          {menu === undefined ? null : (
            <th scope="col" style={{ width: 40 }}>
              <span className="unseen">{t('table.actions')}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={keyOf(row)} className={isEnded?.(row) === true ? 'ended' : rowClass}>
            {columns.map(({ head, className }, column) => (
              <td key={head} className={className} data-head={head}>
                {cells[at]?.[column]}
              </td>
            ))}
            {menu === undefined ? null : <td>{menuOf(menu(row), t('table.actionsOf', { name: nameOf(row) }))}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const menuOf = (items: ReactNode, name: string): ReactNode =>
  items === null ? null : (
    <Menu className="ghost" name={name} label={<Icon name="more" />}>
      {items}
    </Menu>
  );
