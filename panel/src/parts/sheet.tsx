import type { ReactNode } from 'react';
import { useTexts } from '../i18n.ts';
import { Button } from './controls.tsx';
import { FormDialog } from './form-dialog.tsx';
import { sending } from './sending.ts';
import { Failed, type Lost } from './state.tsx';

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
        <div className="sheet-foot row end">
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            isMain
            type="submit"
            disabled={!isReady}
            isBusy={isPending}
            onClick={(event) => {
              // What the first click of two has brought is not sent unread by the second.
              if (event.detail > 1) event.preventDefault();
            }}
          >
            {submit}
          </Button>
        </div>
      </form>
    </FormDialog>
  );
};
