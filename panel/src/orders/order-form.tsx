import { type ReactNode, useEffect, useEffectEvent } from 'react';
import type { Command } from '../api.ts';
import { DialogForm, FormDialog } from '../parts/form-dialog.tsx';
import { SentBefore } from '../parts/unanswered.tsx';
import type { Order } from './order.ts';
import { OrderOutcome } from './outcome.tsx';
import { sameOf, type useOrder } from './use-order.ts';

/** A form that sends one command, in a dialog that stays open until the outcome is known. */
export const OrderForm = ({
  title,
  name,
  order: { phase, change },
  wanted,
  isDirty,
  submit,
  isOff,
  onSubmit,
  onAsk,
  onDone,
  onClose,
  children,
}: {
  title: string;
  /** Whom or what it is for. */
  name: string;
  order: ReturnType<typeof useOrder>;
  /** The order that the form would send now; undefined: a field is not right yet. */
  wanted: Order | undefined;
  isDirty: boolean;
  /** The word of the button that sends. */
  submit: string;
  isOff?: boolean;
  onSubmit: () => void;
  /** Asks for the outcome of what was sent before. */
  onAsk: () => void;
  /** Tells a done command in its own way: then the dialog closes by itself. */
  onDone?: ((command: Command) => void) | undefined;
  onClose: () => void;
  children: ReactNode;
}) => {
  const end = useEffectEvent((command: Command) => {
    if (onDone === undefined) return;
    onDone(command);
    onClose();
  });
  useEffect(() => {
    if (phase.is === 'done') end(phase.command);
  }, [phase]);
  const isTold = phase.is === 'done' && onDone !== undefined;
  return (
    <FormDialog
      title={title}
      isHeld={phase.is === 'sending'}
      isDirty={phase.is === 'asking' && isDirty}
      isSent={phase.is === 'sending' || phase.is === 'lost' || phase.is === 'doubt'}
      onClose={onClose}
    >
      {phase.is === 'asking' ? (
        <DialogForm submit={submit} isOff={isOff} onSubmit={onSubmit} onClose={onClose}>
          {children}
          <SentBefore requests={wanted === undefined ? [] : [sameOf(wanted)]} />
        </DialogForm>
      ) : isTold ? null : (
        <OrderOutcome phase={phase} name={name} onClose={onClose} onChange={change} onAsk={onAsk} />
      )}
    </FormDialog>
  );
};
