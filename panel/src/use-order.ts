import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { carryOut, newOrderKey, type Order, type Phase } from './order.ts';

/** An order of a dialog: it is one command, however often it is run, until `change` makes it another one. */
export const useOrder = () => {
  const client = useQueryClient();
  const [phase, setPhase] = useState<Phase>({ is: 'asking' });
  // Of the dialog, not of the click: a double click is one command.
  const key = useRef(newOrderKey());
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
      await carryOut(order, key.current, { report: setPhase, isWanted: () => isOpen.current });
      void client.invalidateQueries({ queryKey: ['player', order.serverId] });
      void client.invalidateQueries({ queryKey: ['commands'] });
    },
    change: (): void => {
      key.current = newOrderKey();
      setPhase({ is: 'asking' });
    },
  };
};
