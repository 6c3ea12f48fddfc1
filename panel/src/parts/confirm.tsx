import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTexts } from '../i18n.ts';
import { Button } from './controls.tsx';
import { Dialog } from './dialog.tsx';
import { sending } from './form-dialog.tsx';
import { Failed, type Lost } from './state.tsx';

type ConfirmProps<T> = {
  title: string;
  says: ReactNode;
  submit?: string;
  isFinal?: boolean;
  /** Something is to be typed first. */
  isOff?: boolean;
  lost?: Lost;
  action: () => Promise<T>;
  /** Tells what it did, in the dialog; otherwise that closes. */
  done?: (answer: T) => ReactNode;
  onClose: () => void;
  children?: ReactNode;
};

/** Describes the consequences before an action. `isFinal`: it deletes something, so its button is red. */
export const Confirm = <T,>({
  title,
  says,
  submit = title,
  isFinal = false,
  isOff = false,
  lost = 'again',
  action,
  done,
  onClose,
  children,
}: ConfirmProps<T>) => {
  const { t } = useTexts();
  const run = useMutation({ mutationFn: action, onSuccess: () => done === undefined && onClose() });
  const isDone = done !== undefined && run.isSuccess;
  return (
    <Dialog title={title} isHeld={run.isPending} onClose={onClose}>
      <form className="stack" {...sending(isOff || run.isPending || isDone ? undefined : () => run.mutate())}>
        <p className="sentence">{says}</p>
        {children}
        {run.error === null ? null : <Failed error={run.error} lost={lost} />}
        {isDone ? <p role="status">{done(run.data)}</p> : null}
        <div className="row send-first">
          {isDone ? null : (
            <Button isMain isFinal={isFinal} type="submit" disabled={isOff} isBusy={run.isPending}>
              {submit}
            </Button>
          )}
          <Button disabled={run.isPending} onClick={onClose} data-autofocus>
            {t(isDone ? 'common.close' : 'common.cancel')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
};

/** A button whose action is asked about first; it has the title of the question. */
export const ConfirmButton = ({
  isSmall = false,
  ...question
}: Omit<ConfirmProps<void>, 'onClose'> & { isSmall?: boolean }) => {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button isSmall={isSmall} onClick={() => setAsking(true)}>
        {question.title}
      </Button>
      {isAsking ? <Confirm {...question} onClose={() => setAsking(false)} /> : null}
    </>
  );
};
