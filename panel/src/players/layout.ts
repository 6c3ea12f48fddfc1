import { useSyncExternalStore } from 'react';
import { useCompact } from '../display.ts';

const PHONE = window.matchMedia('(max-width: 767px)');
const COARSE = window.matchMedia('(pointer: coarse)');

const subscribe = (listener: () => void): (() => void) => {
  for (const query of [PHONE, COARSE]) query.addEventListener('change', listener);
  return () => {
    for (const query of [PHONE, COARSE]) query.removeEventListener('change', listener);
  };
};

const ROW_PX = { phone: 56, coarse: 44, compact: 32, usual: 36 };

/** Whether rows have two lines, and their height in pixels: a list draws only the rows in view. */
export const useRows = (): { isPhone: boolean; height: number } => {
  const isPhone = useSyncExternalStore(subscribe, () => PHONE.matches);
  const isCoarse = useSyncExternalStore(subscribe, () => COARSE.matches);
  const [isCompact] = useCompact();
  return { isPhone, height: ROW_PX[isPhone ? 'phone' : isCoarse ? 'coarse' : isCompact ? 'compact' : 'usual'] };
};
