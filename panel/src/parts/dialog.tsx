import { Modal, type ModalProps } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useTexts } from '../i18n.ts';

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
      if (place instanceof HTMLElement) place.focus();
    };
  }, []);
};

/** A dialog over the page. `isHeld`: no stray click or key closes it. `isSheet`: at its side, as high as the window. */
export const Dialog = ({
  title,
  isHeld = false,
  isSheet = false,
  size = 440,
  className,
  onClose,
  children,
}: {
  title: string;
  isHeld?: boolean;
  isSheet?: boolean;
  size?: ModalProps['size'];
  className?: string;
  onClose: () => void;
  children: ReactNode;
}) => {
  const { t } = useTexts();
  useFocusReturn();
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={isSheet ? 480 : size}
      {...(isSheet && { classNames: { content: 'sheet' } })}
      {...(className !== undefined && { className })}
      // Both features would need inline styles, which the page's content policy forbids.
      lockScroll={false}
      // Mantine returns the focus only when `opened` changes; our dialogs are unmounted.
      returnFocus={false}
      transitionProps={{ duration: 0 }}
      portalProps={{ target: `#${DIALOGS}` }}
      closeOnClickOutside={!isHeld}
      closeOnEscape={!isHeld}
      withCloseButton={!isHeld}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {children}
    </Modal>
  );
};
