import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useTexts } from '../i18n.ts';
import { Icon } from './icon.tsx';

/** Where dialogs live: in the frame, so that they vanish with it and come back as they were. */
export const DIALOGS = 'dialogs';

/** The element that had the focus before the first of the dialogs that are open. */
let opener: Element | null = null;
let shown = 0;

/** When the last dialog closes, focuses the element that opened the first one, or the page if that element is gone. */
const useFocusReturn = (): void => {
  // During rendering, because the dialog takes the focus in its effects.
  useState(() => {
    if (shown === 0) opener = document.activeElement;
  });
  useEffect(() => {
    shown += 1;
    return () => {
      shown -= 1;
      if (shown > 0) return;
      const isThere = opener instanceof HTMLElement && opener.isConnected && opener !== document.body;
      const place = isThere ? opener : document.querySelector('main');
      if (place instanceof HTMLElement) place.focus({ preventScroll: true });
    };
  }, []);
};

/** What Tab leads to, in its order. */
const stopsOf = (box: HTMLElement): HTMLElement[] =>
  [...box.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, [tabindex]')].filter(
    (each) => each.tabIndex >= 0 && !each.matches(':disabled') && each.checkVisibility(),
  );

/** From the last control, Tab leads to the first one, and back. */
const stayInside = (event: KeyboardEvent<HTMLElement>): void => {
  if (event.key !== 'Tab') return;
  const stops = stopsOf(event.currentTarget);
  const end = stops.at(event.shiftKey ? 0 : -1);
  if (end !== undefined && document.activeElement !== end && document.activeElement !== event.currentTarget) return;
  event.preventDefault();
  stops.at(event.shiftKey ? -1 : 0)?.focus();
};

/** Gives the focus to the dialog on top when the control that had it is gone, hidden or disabled. */
const useKeptFocus = (box: RefObject<HTMLElement | null>, place: Element | null): void => {
  useEffect(() => {
    const dialog = box.current;
    if (place === null || dialog === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      const { activeElement: active } = document;
      const isOnTop = place.lastElementChild?.contains(dialog) === true;
      const isInside = active instanceof HTMLElement && active !== dialog && dialog.contains(active);
      const isLost = isInside
        ? active.matches(':disabled') || !active.checkVisibility()
        : active === null || active === document.body;
      if (isOnTop && isLost) dialog.focus({ preventScroll: true });
    };
    // After the effects, which may give the focus to something better.
    const lookSoon = (): void => {
      clearTimeout(timer);
      timer = setTimeout(look);
    };
    const changes = new MutationObserver(lookSoon);
    changes.observe(dialog, { childList: true, subtree: true, attributeFilter: ['disabled', 'hidden'] });
    dialog.addEventListener('focusout', lookSoon);
    return () => {
      clearTimeout(timer);
      changes.disconnect();
      dialog.removeEventListener('focusout', lookSoon);
    };
  }, [box, place]);
};

/**
 * A dialog over the page. It is none of the browser's own, which would lie above the actions that wait for the limit of
 * requests. `isHeld`: no stray click or key closes it. `isSheet`: at its side, as high as the window.
 */
export const Dialog = ({
  title,
  isHeld = false,
  isSheet = false,
  className = '',
  onClose,
  children,
}: {
  title: string;
  isHeld?: boolean;
  isSheet?: boolean;
  className?: string;
  onClose: () => void;
  children: ReactNode;
}) => {
  const { t } = useTexts();
  const name = useId();
  const box = useRef<HTMLElement>(null);
  const [place, setPlace] = useState<Element | null>(null);
  useFocusReturn();
  // On a first visit, the frame comes into the page together with its dialog.
  useEffect(() => setPlace(document.getElementById(DIALOGS)), []);
  useEffect(() => {
    if (place === null || box.current === null) return;
    const first = box.current.querySelector<HTMLElement>('[data-autofocus]') ?? stopsOf(box.current)[0] ?? box.current;
    first.focus({ preventScroll: true });
  }, [place]);
  useKeptFocus(box, place);
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.isComposing && !isHeld) onClose();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [isHeld, onClose]);
  if (place === null) return null;
  return createPortal(
    <div className={isSheet ? 'modal sheet' : `modal ${className}`}>
      <div className="shade" {...(!isHeld && { onClick: onClose })} />
      <section ref={box} role="dialog" aria-modal="true" aria-labelledby={name} tabIndex={-1} onKeyDown={stayInside}>
        <header>
          <h2 id={name}>{title}</h2>
          {isHeld ? null : (
            <button type="button" className="ghost" aria-label={t('common.close')} onClick={onClose}>
              <Icon name="close" />
            </button>
          )}
        </header>
        <div className="modal-body">{children}</div>
      </section>
    </div>,
    place,
  );
};
