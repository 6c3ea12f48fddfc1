import { Modal, type ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../i18n.ts';

/** Where dialogs live: in the frame, so that they vanish with it and come back as they were. */
export const DIALOGS = 'dialogs';

/** A dialog over the page. `isHeld`: no stray click or key closes it. */
export const Dialog = ({
  title,
  isHeld = false,
  size = 'md',
  onClose,
  children,
}: {
  title: string;
  isHeld?: boolean;
  size?: ModalProps['size'];
  onClose: () => void;
  children: ReactNode;
}) => {
  const { t } = useTexts();
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={size}
      // Both of what these do would need styles that the policy of the page forbids.
      lockScroll={false}
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
