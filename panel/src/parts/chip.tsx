import type { ReactNode } from 'react';
import { useTexts } from '../i18n.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';

/** A filter in the line above a list: `Job ▾`, or `Job: LSPD ×` when it is set. */
export const Chip = ({
  name,
  value,
  role = 'menu',
  onClear,
  children,
}: {
  name: string;
  /** In words; undefined: not set. */
  value: string | undefined;
  role?: 'menu' | 'dialog';
  onClear: () => void;
  children: ReactNode | (() => ReactNode);
}) => {
  const { t } = useTexts();
  return (
    <span className={value === undefined ? 'chip' : 'chip set'}>
      <Menu
        className="chip-open"
        role={role}
        name={value === undefined ? name : `${name}: ${value}`}
        popoverClass={role === 'menu' ? 'menu' : 'menu chip-form'}
        label={
          value === undefined ? (
            <>
              {name}
              <Icon name="down" />
            </>
          ) : (
            <span>
              {name}: <bdi>{value}</bdi>
            </span>
          )
        }
      >
        {children}
      </Menu>
      {value === undefined ? null : (
        <button type="button" className="chip-clear" aria-label={t('chip.clear', { name })} onClick={onClear}>
          <Icon name="close" />
        </button>
      )}
    </span>
  );
};
