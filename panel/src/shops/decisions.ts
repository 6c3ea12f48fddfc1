import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { hub, type OrderLine, type Schemas } from '../api.ts';
import type { Texts } from '../i18n.ts';
import { allPages, EVERY_MS, usePages } from '../queries.ts';

/** Why a line is on the list, in words. */
export const reasonOf = ({ t, has, needsMore }: Texts, code: string | null, detail: string | null): string => {
  const own = `shops.reason.${code}`;
  if (has(own)) return t(own);
  const known = `code.${code}`;
  // A line has no numbers of its refusal, but the sentence of the game server has them.
  return has(known) && !needsMore(known, 'detail') ? t(known, { detail: detail ?? '' }) : (detail ?? code ?? '');
};

/** Why a person has to decide a line. The reason of an owed one is that of the command that takes it back. */
export const explainLine = (texts: Texts, { name, state, reason, detail }: OrderLine): string => {
  const isJob = name === 'job';
  // The hub adds a detail if the player has another job.
  if (isJob && reason === 'no_opposite' && detail !== null) return texts.t('shops.reason.other_job');
  const why = reasonOf(texts, reason, detail);
  if (state !== 'owed' || texts.has(`shops.reason.${reason}`)) return why;
  return texts.t(isJob ? 'shops.owedJob' : 'shops.owed', { why });
};

/** While somebody waits for the end of a decision: at first often, because most commands end within a second. */
const SOON = { first: 300, forMs: 5_000, later: 1_500 };
/** Lines that the hub decides in one request. */
const AT_ONCE = 200;

export type Decision = { target: string } | { dismiss: true; note: string } | { undo: true };
/** The result of a decision: the line as it is then, or why it was not decided. */
export type Decided = Schemas['LineDecided'];

/** Lines of one order and one buyer, which are decided together. */
export type Bundle = { key: string; transaction: string; buyer: OrderLine['buyer']; lines: OrderLine[] };

/** The list of the staff by orders and buyers, in the order of the lines. */
export const bundlesOf = (lines: readonly OrderLine[]): Bundle[] => {
  const bundles = new Map<string, Bundle>();
  for (const line of lines) {
    const { transaction, buyer } = line;
    const key = JSON.stringify([transaction, buyer?.value]);
    const bundle = bundles.get(key) ?? { key, transaction, buyer, lines: [] };
    bundle.lines.push(line);
    bundles.set(key, bundle);
  }
  return [...bundles.values()];
};

/** A line that can be given to a player has a command, and was not refunded. */
export const canGive = ({ name, state }: OrderLine): boolean => name !== null && state !== 'owed';

/** A gift that the hub may still take back, and a dismissal. */
export const canUndo = ({ state }: OrderLine): boolean =>
  ['pending', 'placed', 'delivered', 'dismissed'].includes(state);

/** The package of a line as the shop names it; without a name, its id. */
export const productIn = ({ product, package: id, number }: OrderLine): string => product ?? `${id} (${number})`;

export const buyerIn = ({ name, value }: NonNullable<OrderLine['buyer']>): string =>
  name === value ? name : `${name} (${value})`;

export const stateIn = ({ textOr }: Texts, { state }: OrderLine): string => textOr(`shops.state.${state}`, state);

/** The time until lines are read again. `since`: when a decision was sent that somebody waits for; 0: none. */
const pauseOf = (since: number): number => {
  if (since === 0) return EVERY_MS;
  return Date.now() < since + SOON.forMs ? SOON.first : SOON.later;
};

export const useStaffLines = (integrationId: string, since = 0) =>
  useQuery({
    queryKey: ['shops', integrationId, 'unmatched'],
    queryFn: () =>
      allPages((query) =>
        hub.request('get', '/api/v2/integrations/{id}/unmatched', { path: { id: integrationId }, query }),
      ),
    refetchInterval: () => pauseOf(since),
  });

export const useDecided = (integrationId: string, since = 0) =>
  usePages({
    queryKey: ['shops', integrationId, 'decided'],
    read: (query) => hub.request('get', '/api/v2/integrations/{id}/decided', { path: { id: integrationId }, query }),
    refetchInterval: () => pauseOf(since),
  });

/** Decides lines together; the answer tells each of them. */
export const useDecide = (integrationId: string) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ lines, ...decision }: { lines: readonly OrderLine[] } & Decision): Promise<Decided[]> => {
      const told: Decided[] = [];
      for (let from = 0; from < lines.length; from += AT_ONCE) {
        const ids = lines.slice(from, from + AT_ONCE).map(({ id }) => id);
        const { data } = await hub.request('post', '/api/v2/integrations/{id}/unmatched', {
          path: { id: integrationId },
          body: { lines: ids, ...decision },
        });
        told.push(...data);
      }
      return told;
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['shops'] }),
  });
};

/** Why a line was not decided, in words. */
export const problemIn = ({ textOr }: Texts, { problem, detail }: Decided): string =>
  textOr(`code.${problem}`, detail ?? problem ?? '', { detail: detail ?? '' });
