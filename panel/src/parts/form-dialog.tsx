import { type ComponentProps, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { UnsentQuestion, useHeldBack } from './unsent.tsx';

/** A dialog with a form. While `isDirty`, Escape, Back and a click beside it ask before they close it. */
export const FormDialog = ({
  isDirty,
  onClose,
  children,
  ...props
}: ComponentProps<typeof Dialog> & { isDirty: boolean }) => {
  const [isLeaving, setLeaving] = useState(false);
  const held = useHeldBack(isDirty);
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
      <div hidden={isAsking}>{children}</div>
    </Dialog>
  );
};
