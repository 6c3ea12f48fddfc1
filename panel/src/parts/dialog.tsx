import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
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

/** The controls that Tab leads to, in its order. */
const stopsOf = (box: HTMLElement): HTMLElement[] =>
  [...box.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, [tabindex]')].filter(
    (each) => each.tabIndex >= 0 && !each.matches(':disabled') && each.checkVisibility(),
  );

/** From the last control, and from outside, Tab leads to the first one, and back. */
const stayInside = (event: KeyboardEvent, box: HTMLElement): void => {
  const stops = stopsOf(box);
  const [now, end] = [document.activeElement, stops.at(event.shiftKey ? 0 : -1)];
  if (end !== undefined && now !== end && now !== box && box.contains(now)) return;
  event.preventDefault();
  // Actions that wait for the limit of requests lie above dialogs.
  const parked = box.contains(now) && !event.shiftKey ? document.querySelector<HTMLElement>('.parked button') : null;
  (parked ?? stops.at(event.shiftKey ? -1 : 0))?.focus();
};

/** The dialog above all others, if there is one. */
export const topDialog = (): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>('[role=dialog][aria-modal=true]')].findLast((each) =>
    each.checkVisibility(),
  );

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
  const isEntered = useRef(false);
  const [place, setPlace] = useState<Element | null>(null);
  useFocusReturn();
  // On a first visit, the frame comes into the page together with its dialog.
  useEffect(() => setPlace(document.getElementById(DIALOGS)), []);
  useEffect(() => {
    if (place === null || box.current === null) return;
    const isIn = box.current.contains(document.activeElement);
    // A control that had the focus is gone, or off: the dialog must not lose its keys.
    const isLost = document.activeElement === document.body && box.current === topDialog();
    if (isIn || (isEntered.current && !isLost)) return;
    isEntered.current = true;
    const first = box.current.querySelector<HTMLElement>('[data-autofocus]') ?? stopsOf(box.current)[0] ?? box.current;
    first.focus({ preventScroll: true });
  });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (box.current === null || box.current !== topDialog()) return;
      if (event.key === 'Escape' && !event.isComposing && !isHeld) onClose();
      if (event.key === 'Tab') stayInside(event, box.current);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [isHeld, onClose]);
  if (place === null) return null;
  return createPortal(
    <div className={isSheet ? 'modal sheet' : `modal ${className}`}>
      <div className="shade" {...(!isHeld && { onClick: onClose })} />
      <section ref={box} role="dialog" aria-modal="true" aria-labelledby={name} tabIndex={-1}>
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
