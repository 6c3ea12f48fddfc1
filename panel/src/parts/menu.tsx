import { type FocusEvent, type KeyboardEvent, type MouseEvent, type ReactNode, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

const GAP_PX = 4;
const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

/** Puts the menu beside its button, on the side where it fits; where it fits on none, it scrolls on the larger one. */
const place = (button: HTMLElement, menu: HTMLElement): void => {
  const at = button.getBoundingClientRect();
  menu.style.maxHeight = '';
  const { offsetWidth: width, offsetHeight: height } = menu;
  const below = window.innerHeight - at.bottom - GAP_PX;
  const above = at.top - GAP_PX;
  const isBelow = height <= below || below >= above;
  menu.style.maxHeight = `${(isBelow ? below : above) - GAP_PX}px`;
  // It grows away from its button.
  menu.style.top = isBelow ? `${at.bottom + GAP_PX}px` : 'auto';
  menu.style.bottom = isBelow ? 'auto' : `${window.innerHeight - at.top + GAP_PX}px`;
  menu.style.left = `${Math.max(8, Math.min(at.left, window.innerWidth - width - 8))}px`;
};

/**
 * A button that opens a list of actions (`menu`), or fields and links (`dialog`), which keep their keys. Escape, a click
 * outside and an action or link close it.
 */
export const Menu = ({
  label,
  name,
  title,
  className,
  role = 'menu',
  popoverClass = 'menu',
  tabIndex,
  children,
}: {
  label: ReactNode;
  /** The name for screen readers, where the label is a picture. */
  name?: string;
  /** The name of what opens, if it is another. */
  title?: string;
  className: string;
  role?: 'menu' | 'dialog';
  popoverClass?: string;
  tabIndex?: number;
  /** A function is called while the menu is open: a list may have many menus. */
  children: ReactNode | (() => ReactNode);
}) => {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const items = (): HTMLElement[] => [
    ...(menu.current?.querySelectorAll<HTMLElement>('a, button, select, input') ?? []),
  ];
  const move = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined || role === 'dialog') return;
    event.preventDefault();
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    all.at((at + step + all.length) % all.length)?.focus();
  };
  const opened = (isOpen: boolean): void => {
    if (!isOpen || button.current === null || menu.current === null) return;
    if (!menu.current.classList.contains('more')) place(button.current, menu.current);
    // A quick person may be in a field already.
    if (!menu.current.contains(document.activeElement)) items()[0]?.focus();
  };
  const leave = ({ relatedTarget }: FocusEvent): void => {
    // Tab leads on to the page behind it.
    if (relatedTarget instanceof Node && menu.current?.contains(relatedTarget) === false) menu.current.hidePopover();
  };
  const chosen = ({ target }: MouseEvent): void => {
    if (!(target instanceof Element) || target.closest(role === 'menu' ? 'a, button' : 'a') === null) return;
    menu.current?.hidePopover();
    // The dialog that an action opens gives the focus back to what has it now.
    if (role === 'menu') button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        popoverTarget={id}
        aria-haspopup={role}
        tabIndex={tabIndex}
        {...(name !== undefined && { 'aria-label': name })}
      >
        {label}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        className={popoverClass}
        tabIndex={-1}
        onBeforeToggle={({ newState }) => {
          // It has its items before it is measured, and keeps them until the button has the focus again.
          if (newState === 'open') flushSync(() => setOpen(true));
        }}
        onToggle={({ newState }) => {
          if (newState === 'closed') setOpen(false);
          opened(newState === 'open');
        }}
        {...{ role, 'aria-label': title ?? name ?? (typeof label === 'string' ? label : undefined) }}
        {...{ onKeyDown: move, onBlur: leave, onClick: chosen }}
      >
        {typeof children !== 'function' ? children : isOpen ? children() : null}
      </div>
    </>
  );
};

/** An action of a menu; with a reason it does nothing, and says why. */
export const MenuItem = ({
  whyNot,
  onClick,
  children,
}: {
  whyNot?: string | undefined;
  onClick: () => void;
  children: ReactNode;
}) => (
  <button
    type="button"
    role="menuitem"
    className="place"
    aria-disabled={whyNot !== undefined}
    onClick={(event) => {
      if (whyNot === undefined) return onClick();
      event.stopPropagation();
    }}
  >
    <span>
      {children}
      {whyNot === undefined ? null : <span className="why-not"> {whyNot}</span>}
    </span>
  </button>
);

/** One of several values, of which a menu sets one. */
export const MenuChoice = ({
  isChosen,
  onClick,
  children,
}: {
  isChosen: boolean;
  onClick: () => void;
  children: ReactNode;
}) => (
  <button type="button" role="menuitemradio" aria-checked={isChosen} className="place" onClick={onClick}>
    <span>{children}</span>
  </button>
);
