import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useCallback, useContext, useEffect } from 'react';
import { HubProblem, hub, type PanelSession, type Scope } from './api.ts';
import { scopeOf } from './commands.tsx';
import { forgetFilters } from './filters.ts';
import { forgetTokens } from './fresh-token.ts';
import { closeOrder } from './open-order.ts';
import { giveUpParked } from './patience.ts';
import { takeOver } from './tasks/chosen.ts';
import { endToasts } from './toasts.ts';
import { forgetWords, recallUnanswered } from './unanswered.ts';

/** Forgets all that belongs to the person who was signed in: another one may see other data. */
export const forgetPerson = (client: QueryClient): void => {
  forgetFilters();
  forgetTokens();
  takeOver();
  closeOrder();
  // With the cookie of the next person, they would be that person's.
  giveUpParked();
  endToasts();
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
};

const EXPECTED = 'causeway-signed-in';

/**
 * Remembers whether a user has signed in here; without a sign-in the hub is not asked. Scripts cannot see the cookie.
 */
export const expectSession = (isExpected: boolean): void => {
  if (isExpected) return localStorage.setItem(EXPECTED, 'yes');
  localStorage.removeItem(EXPECTED);
  forgetWords();
};

/** The key whose data this tab has. */
let person: string | undefined;
/** Takes a session. If it is of another key than the last one, all that belongs to that key is forgotten first. */
const takeSession = (client: QueryClient, session: PanelSession): PanelSession => {
  const { id } = session.key;
  if (person !== undefined && person !== id) forgetPerson(client);
  if (person !== id) recallUnanswered(id);
  person = id;
  return session;
};

/** Signs in with a key, and forgets it. @throws HubProblem, TypeError without an answer */
export const signInWith = async (client: QueryClient, key: string): Promise<void> => {
  const session = await hub.request('post', '/api/v2/panel/session', { headers: { 'X-API-Key': key } });
  expectSession(true);
  client.setQueryData(['session'], takeSession(client, session));
};

/** The signed-in user; null: none. Repeated while the hub cannot be reached. */
export const useSessionQuery = (isConnected: boolean) => {
  const client = useQueryClient();
  useEffect(() => {
    // Another tab of this browser has signed in or out.
    const hear = ({ key }: StorageEvent): void => {
      if (key === EXPECTED || key === null) void client.invalidateQueries({ queryKey: ['session'] });
    };
    window.addEventListener('storage', hear);
    return () => window.removeEventListener('storage', hear);
  }, [client]);
  return useQuery<PanelSession | null>({
    queryKey: ['session'],
    queryFn: async () => {
      if (localStorage.getItem(EXPECTED) === null) return null;
      try {
        return takeSession(client, await hub.request('get', '/api/v2/panel/session'));
      } catch (error) {
        if (!(error instanceof HubProblem && error.problem.status === 401)) throw error;
        expectSession(false);
        return null;
      }
    },
    retry: false,
    refetchInterval: isConnected ? 60_000 : 2_000,
  });
};

export const SessionContext = createContext<PanelSession | undefined>(undefined);

/** The signed-in user, for components below the gate. */
export const useSession = (): PanelSession => {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('The user is not signed in.');
  return session;
};

/** Whether the key has this scope; actions without the scope are not offered. */
export const useMay = (): ((scope: Scope) => boolean) => {
  const { scopes } = useSession();
  return useCallback((scope) => scopes.includes(scope), [scopes]);
};

export const useMaySend = (): ((name: string) => boolean) => {
  const may = useMay();
  return useCallback(
    (name) => {
      const scope = scopeOf(name);
      return scope !== undefined && may(scope);
    },
    [may],
  );
};
