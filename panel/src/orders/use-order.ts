import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { HubProblem } from '../api.ts';
import { brief, describeName } from '../commands.tsx';
import { type Texts, useTexts } from '../i18n.ts';
import { withoutMarks } from '../parts/text.tsx';
import { beginRequest, endRequest, leaveRequest } from '../unanswered.ts';
import { carryOut, type Open, type Order, type Phase } from './order.ts';

/** The parts of an order that the hub compares under one key: `deliver` is not one of them. */
export const sameOf = (order: Order): object =>
  'body' in order ? { ...order, body: { ...order.body, deliver: undefined } } : order;

const inWords = (texts: Texts, order: Order): string => {
  if (order.name === 'custom') return describeName(texts, order.command);
  if ('body' in order) return brief(texts, { name: order.name, params: order.body, result: null });
  return texts.t(order.name === 'undo' ? 'detail.undo.title' : 'detail.again');
};

/**
 * Sends an order until its outcome is known, under the key that it may have been sent under before. `name`: whom or what it
 * is for. Returns the key while there is no outcome; `left`: that key, of an earlier attempt.
 */
export const carryOutOnce = async (
  { texts, name, left }: { texts: Texts; name: string; left?: string | undefined },
  order: Order,
  { open, ...ways }: Parameters<typeof carryOut>[2],
): Promise<string | undefined> => {
  const path = 'id' in order ? `/journal/${order.id}` : '/journal';
  try {
    const what = withoutMarks(`${inWords(texts, order)} · ${name}`);
    const { key, isRepeat } = beginRequest(sameOf(order), { what, path }, left);
    const before = open ?? (isRepeat ? { is: 'lost' } : undefined);
    const last = await carryOut(order, key, { ...ways, open: before });
    if (last === undefined || last.is === 'gaveUp') {
      leaveRequest(key);
      return key;
    }
    endRequest(key, last.is === 'refused');
    return undefined;
  } catch (error) {
    if (!(error instanceof HubProblem)) throw error;
    ways.report({ is: 'refused', error });
    return left;
  }
};

/**
 * An order of a dialog: the same one is one command, however often it is run, also by a double click. `name`: whom or what
 * it is for.
 */
export const useOrder = (name: string) => {
  const client = useQueryClient();
  const texts = useTexts();
  const [phase, setPhase] = useState<Phase>({ is: 'asking' });
  const open = useRef<Open>(undefined);
  const left = useRef<string>(undefined);
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
      const sent = { texts, name, left: left.current };
      left.current = await carryOutOnce(sent, order, { report, isWanted, open: open.current });
      for (const queryKey of [['player', order.serverId], ['commands'], ['command'], ['sums']])
        void client.invalidateQueries({ queryKey });
    },
    change: (): void => {
      open.current = undefined;
      left.current = undefined;
      setPhase({ is: 'asking' });
    },
  };
};
