import { useEffect, useState } from 'react';

/** A browser keeps six connections to one address: a hidden tab closes its connection. */
const HIDDEN_FOR_MS = 60_000;

/** Whether this tab is visible, or was visible a minute ago. */
export const useWatched = (): boolean => {
  const [isWatched, setWatched] = useState(true);
  useEffect(() => {
    let timer: number | undefined;
    const look = (): void => {
      window.clearTimeout(timer);
      if (document.visibilityState === 'visible') setWatched(true);
      else timer = window.setTimeout(() => setWatched(false), HIDDEN_FOR_MS);
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      window.clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);
  return isWatched;
};
