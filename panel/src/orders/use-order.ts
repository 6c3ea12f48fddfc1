import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { newOrderKey } from '../once.ts';
import { carryOut, type Open, type Order, type Phase } from './order.ts';

/** An order of a dialog: it is one command, however often it is run, until `change` makes it another one. */
export const useOrder = () => {
  const client = useQueryClient();
  const [phase, setPhase] = useState<Phase>({ is: 'asking' });
  // A key for each dialog, not for each click: a double click is one command.
  const key = useRef(newOrderKey());
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
        setPhase(next);
      };
      const isWanted = (): boolean => isOpen.current;
      await carryOut(order, key.current, { report, isWanted, open: open.current });
      void client.invalidateQueries({ queryKey: ['player', order.serverId] });
      void client.invalidateQueries({ queryKey: ['commands'] });
    },
    change: (): void => {
      key.current = newOrderKey();
      open.current = undefined;
      setPhase({ is: 'asking' });
    },
  };
};
