import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { carryOut, isEarlierFailure, newOrderKey, type Open, type Order, type Phase } from './order.ts';

/** The key of the nth try to undo a command. All users send the same key, so a command is undone once. */
const undoKey = (id: string, nth: number): string => `undo/${id}${nth === 1 ? '' : `/${nth}`}`;

/**
 * An order of a dialog: it is one command, however often it is run, until `change` makes it another one. `undoes`: the
 * command whose opposite it is.
 */
export const useOrder = (undoes?: string) => {
  const client = useQueryClient();
  const [phase, setPhase] = useState<Phase>({ is: 'asking' });
  // Of the dialog, not of the click: a double click is one command.
  const nth = useRef(1);
  const newKey = (): string => (undoes === undefined ? newOrderKey() : undoKey(undoes, nth.current));
  const key = useRef(newKey());
  const requestId = useRef(newOrderKey());
  const open = useRef<Open>(undefined);
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  return {
    phase,
    run: async (order: Order): Promise<void> => {
      const report = (next: Phase): void => {
        if (next.is === 'lost' || next.is === 'doubt') open.current = next;
        if (!isEarlierFailure(next)) setPhase(next);
      };
      const isWanted = (): boolean => isOpen.current;
      const take = (): Promise<Phase | undefined> => {
        const sender = { key: key.current, ...(undoes !== undefined && { requestId: requestId.current }) };
        return carryOut(order, sender, { report, isWanted, open: open.current });
      };
      let last = await take();
      while (last !== undefined && isEarlierFailure(last)) {
        nth.current += 1;
        key.current = newKey();
        open.current = undefined;
        last = await take();
      }
      void client.invalidateQueries({ queryKey: ['player', order.serverId] });
      void client.invalidateQueries({ queryKey: ['commands'] });
    },
    change: (): void => {
      // Without a command, nothing is stored under this key: another user may still use it.
      if (phase.is === 'refused' && phase.error.problem.command !== undefined) nth.current += 1;
      key.current = newKey();
      requestId.current = newOrderKey();
      open.current = undefined;
      setPhase({ is: 'asking' });
    },
  };
};
