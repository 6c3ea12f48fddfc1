import { Button } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useTexts } from '../i18n.ts';
import { Dialog } from './dialog.tsx';

/** Blocks navigation while `isDirty`. While it is blocked, returns `discard` (go on) and `keep` (stay). */
export const useHeldBack = (isDirty: boolean) => {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return blocker.status === 'blocked' ? { discard: blocker.proceed, keep: blocker.reset } : undefined;
};

/** Asks before typed text is lost. When it closes, the focus returns to the field. */
export const UnsentQuestion = ({ onKeep, onDiscard }: { onKeep: () => void; onDiscard: () => void }) => {
  const { t } = useTexts();
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const field = document.activeElement;
    first.current?.focus();
    return () => {
      if (field instanceof HTMLElement) field.focus();
    };
  }, []);
  return (
    <div className="stack" role="alert">
      <p className="sentence">{t('unsent.says')}</p>
      <div className="row end">
        <Button variant="default" onClick={onDiscard}>
          {t('unsent.discard')}
        </Button>
        <Button ref={first} data-autofocus onClick={onKeep}>
          {t('unsent.keep')}
        </Button>
      </div>
    </div>
  );
};

/** Asks in a dialog whether to discard a form on a page. */
export const UnsentForm = ({ isDirty }: { isDirty: boolean }) => {
  const { t } = useTexts();
  const held = useHeldBack(isDirty);
  if (held === undefined) return null;
  return (
    <Dialog title={t('unsent.title')} onClose={held.keep}>
      <UnsentQuestion onKeep={held.keep} onDiscard={held.discard} />
    </Dialog>
  );
};
