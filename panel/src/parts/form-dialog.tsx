import { type ComponentProps, type ReactNode, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTexts } from '../i18n.ts';
import { Button } from './controls.tsx';
import { Dialog } from './dialog.tsx';
import { Failed, type Lost } from './state.tsx';
import { UnsentQuestion, useHeldBack } from './unsent.tsx';

/**
 * The ways to send a form: its button, Enter in a field, and Ctrl + Enter anywhere in it, but not a key that is held down. The
 * first field that is wrong then has the focus. `send`: undefined while it cannot be sent. A form of a dialog inside of
 * this one sends itself.
 */
export const sending = (
  send: (() => void) | undefined,
): Required<Pick<ComponentProps<'form'>, 'noValidate' | 'onSubmit' | 'onKeyDown'>> => {
  const sendFrom = (form: HTMLFormElement): void => {
    if (send === undefined) return;
    flushSync(send);
    form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  };
  return {
    noValidate: true,
    onSubmit: (event) => {
      event.preventDefault();
      event.stopPropagation();
      sendFrom(event.currentTarget);
    },
    onKeyDown: (event) => {
      const { key, ctrlKey, metaKey, repeat, currentTarget, target } = event;
      if (key !== 'Enter' || !(ctrlKey || metaKey)) return;
      if (!(target instanceof Node && currentTarget.contains(target))) return;
      event.preventDefault();
      event.stopPropagation();
      if (!repeat) sendFrom(currentTarget);
    },
  };
};

/**
 * A form beside its list: from the right, on a phone from the bottom, with its buttons fixed at the foot. Escape and a
 * click beside it ask only if something was typed.
 */
export const Sheet = ({
  title,
  submit,
  isDirty,
  isReady = true,
  isPending,
  error = null,
  lost = 'again',
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  /** The word on the button that sends. */
  submit: string;
  isDirty: boolean;
  isReady?: boolean;
  isPending: boolean;
  /** Why the hub has refused it; null: it has not. */
  error?: unknown;
  lost?: Lost;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}) => {
  const { t } = useTexts();
  return (
    <FormDialog title={title} isSheet isDirty={isDirty} onClose={onClose}>
      <form className="sheet-form" {...sending(isReady && !isPending ? onSubmit : undefined)}>
        <div className="sheet-fields stack">{children}</div>
        {error === null ? null : (
          <div className="sheet-error">
            <Failed error={error} lost={lost} />
          </div>
        )}
        <div className="sheet-foot row send-first">
          <Button
            isMain
            type="submit"
            disabled={!isReady}
            isBusy={isPending}
            onClick={(event) => {
              // The second click of two would send, unread, what the first one has brought.
              if (event.detail > 1) event.preventDefault();
            }}
          >
            {submit}
          </Button>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
        </div>
      </form>
    </FormDialog>
  );
};

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
      <div className="row send-first">
        <Button isMain type="submit" disabled={isOff} isBusy={isBusy}>
          {submit}
        </Button>
        <Button onClick={onClose}>{t('common.cancel')}</Button>
      </div>
    </form>
  );
};
