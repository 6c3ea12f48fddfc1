import { useEffect, useState } from 'react';

/** A browser keeps six connections to one address: a tab that nobody looks at gives its one back. */
const HIDDEN_FOR_MS = 60_000;

/** Whether somebody looks at this tab, or did a minute ago. */
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
