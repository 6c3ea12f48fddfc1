import { useEffect, useState } from 'react';
import { useSession } from './session.ts';

/** A person who looks again within this time has not been away. */
const AWAY_MS = 30 * 60_000;

/** `newest`: the newest row that was shown; `mark`: the newest one of the visit before. */
type Visit = { newest: string; at: number; mark?: string | undefined };

const read = (place: string): Visit | undefined => {
  const text = localStorage.getItem(place);
  return text === null ? undefined : (JSON.parse(text) as Visit);
};

/** The time of the newest row that this person saw on the visit before, in this browser. `newest`: of what is shown now. */
export const useLastVisit = (newest: string | undefined): string | undefined => {
  const place = `causeway-journal-${useSession().key.id}`;
  const [mark] = useState(() => {
    const before = read(place);
    return before !== undefined && Date.now() - before.at > AWAY_MS ? before.newest : before?.mark;
  });
  useEffect(() => {
    const before = read(place)?.newest ?? '';
    const latest = newest !== undefined && newest > before ? newest : before;
    if (latest !== '') localStorage.setItem(place, JSON.stringify({ newest: latest, at: Date.now(), mark }));
  }, [newest, mark, place]);
  return mark;
};
