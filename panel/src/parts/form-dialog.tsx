import { type ComponentProps, type ReactNode, useEffect, useState } from 'react';
import { useTexts } from '../i18n.ts';
import { Button } from './controls.tsx';
import { Dialog } from './dialog.tsx';
import { sending } from './sending.ts';
import { UnsentQuestion, useHeldBack } from './unsent.tsx';

/**
 * A dialog with a form. While `isDirty`, Escape, Back and a click beside it ask before they close it. While `isSent`, and its
 * outcome is not known, Back and links do not leave the page.
 */
export const FormDialog = ({
  isDirty,
  isSent = false,
  onClose,
  children,
  ...props
}: ComponentProps<typeof Dialog> & { isDirty: boolean; isSent?: boolean }) => {
  const { t } = useTexts();
  const [isLeaving, setLeaving] = useState(false);
  const [hasTried, setTried] = useState(false);
  const held = useHeldBack(isDirty || isSent);
  useEffect(() => {
    if (!isSent || held === undefined) return;
    held.keep();
    setTried(true);
  }, [isSent, held]);
  const isAsking = isDirty && (isLeaving || held !== undefined);
  const keep = (): void => {
    setLeaving(false);
    held?.keep();
  };
  const leave = (): void => {
    if (!isDirty) return onClose();
    if (isAsking) return keep();
    setLeaving(true);
  };
  const discard = (): void => {
    held?.discard();
    // A dialog of the frame does not go with the page.
    onClose();
  };
  return (
    <Dialog {...props} onClose={leave}>
      {isAsking ? <UnsentQuestion onKeep={keep} onDiscard={discard} /> : null}
      {isSent && hasTried ? <p role="alert">{t('unsent.sent')}</p> : null}
      <div hidden={isAsking}>{children}</div>
    </Dialog>
  );
};

/** Leads to the first field whose value is refused, once the faults are shown. */
export const focusFault = (form: HTMLElement): void => {
  setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
};

/** The form of a dialog: its fields, and below them the buttons that leave it or send it. Ctrl + Enter sends, too. */
export const DialogForm = ({
  submit,
  isOff = false,
  isBusy = false,
  onSubmit,
  onClose,
  children,
}: {
  /** The word of the button that sends. */
  submit: string;
  isOff?: boolean | undefined;
  isBusy?: boolean;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}) => {
  const { t } = useTexts();
  return (
    <form className="stack" {...sending(isOff || isBusy ? undefined : onSubmit)}>
      {children}
      <div className="row end">
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        <Button isMain type="submit" disabled={isOff} isBusy={isBusy}>
          {submit}
        </Button>
      </div>
    </form>
  );
};
