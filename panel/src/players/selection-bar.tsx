import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { useTexts } from '../i18n.ts';
import { Button, Explained } from '../parts/controls.tsx';
import { useCopied } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { explain } from '../parts/state.tsx';
import { useMay } from '../session.ts';
import { handOver } from '../tasks/chosen.ts';
import type { ManyKind } from './many.tsx';
import { type PlayerKey, type PlayerSearch, readAllKeys } from './query.ts';
import type { Choice, ChosenPlayer } from './selection.ts';

/** The players of one answer of the hub. */
const MAX_FOUND = 10_000;
const MAX_LABEL = 128;

type Chosen = {
  choice: Choice;
  add: (players: readonly PlayerKey[]) => void;
  clear: () => void;
  /** Shows the list as the hub has it now, and chooses its rows: nobody is chosen who is not shown. */
  addShown: () => void;
};

/** Chooses all players that an address means, also those that are not loaded. `found`: as many they are, if it is known. */
export const useAllFound = (
  address: PlayerSearch,
  found: number | undefined,
  { choice, add, clear, addShown }: Chosen,
) => {
  /** Counts the ends of selections: an answer of an earlier one chooses nothing. */
  const ended = useRef(0);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async (of: number) => ({ of, players: await readAllKeys(address) }),
    onSuccess: ({ of, players }) => {
      if (of === ended.current) add(players);
    },
  });
  const run = (): void => mutate(ended.current);
  const end = (): void => {
    ended.current += 1;
    reset();
    clear();
  };
  return {
    all: { isPending, error, run },
    end,
    /** By the box in the head. */
    toggle: (): void => {
      if (choice.isAll) return end();
      // At once, so that the box answers.
      addShown();
      if (found !== undefined && found <= MAX_FOUND) run();
    },
  };
};

/** Leads to a payment of all players of a filter, whose words become the label. One for each filter. */
export const PayAll = ({ address, found, label }: { address: PlayerSearch; found: number; label: string }) => {
  const { t, number, texts } = useTexts();
  const may = useMay();
  const navigate = useNavigate();
  const all = useMutation({ mutationFn: () => readAllKeys(address) });
  // Told to this button alone: it has one filter, and a person who has left it is not led back to that.
  const lead = (players: readonly PlayerKey[]): void => {
    if (players.length === 0) return;
    handOver({ kind: 'give', players, ...(label.length <= MAX_LABEL && { label }) });
    void navigate({ to: '/batches/new' });
  };
  if (found < 2 || !may('commands:batch') || !may('commands:money')) return null;
  return (
    <>
      {all.error === null ? null : (
        <span role="alert" className="bad">
          {explain(texts, all.error)}
        </span>
      )}
      <Button isBusy={all.isPending} onClick={() => all.mutate(undefined, { onSuccess: lead })}>
        {t('players.payAll', { count: number(found) })}
      </Button>
    </>
  );
};

/** Commands that are sent one by one; more would take minutes, and batches of them do not exist on purpose. */
const MAX_SINGLES = 50;
/** Players of one announcement. */
const MAX_ANNOUNCED = 1_000;
const MANY: readonly ManyKind[] = ['message', 'kick'];

export const SelectionBar = ({
  chosen,
  found,
  all,
  isAnnounced,
  onMany,
  onClear,
}: {
  chosen: readonly ChosenPlayer[];
  /** The number of players in the list; undefined: it is not known. */
  found: number | undefined;
  all: { isPending: boolean; error: unknown; run: () => void };
  /** All servers of the chosen players can announce a text to chosen players. */
  isAnnounced: boolean;
  onMany: (kind: ManyKind) => void;
  onClear: () => void;
}) => {
  const { t, count, number, texts } = useTexts();
  const may = useMay();
  const navigate = useNavigate();
  const [isCopied, copy] = useCopied(chosen.map(({ identifier }) => identifier).join('\n'));
  const batch = (kind: 'give' | 'giveItem'): void => {
    handOver({ kind, players: chosen });
    void navigate({ to: '/batches/new' });
  };
  const whyNot = (kind: ManyKind): string | undefined => {
    const most = kind === 'message' && isAnnounced ? MAX_ANNOUNCED : MAX_SINGLES;
    return chosen.length > most ? t('players.many.most', { count: number(most) }) : undefined;
  };
  return (
    <section className="selection" aria-label={t('players.selection')}>
      <span role="status">{count('players.chosen', chosen.length)}</span>
      {found === undefined || found <= chosen.length ? null : (
        <Button isBusy={all.isPending} onClick={all.run}>
          {t('players.allFound', { count: number(found) })}
        </Button>
      )}
      {all.error === null ? null : <span role="alert">{explain(texts, all.error)}</span>}
      <span className="acting">
        {may('commands:batch') && may('commands:money') ? (
          <Button onClick={() => batch('give')}>{t('command.money')}</Button>
        ) : null}
        {may('commands:batch') && may('commands:items') ? (
          <Button onClick={() => batch('giveItem')}>{t('command.items')}</Button>
        ) : null}
        {MANY.filter((kind) => may(kind === 'kick' ? 'commands:kick' : 'commands:announce')).map((kind) => (
          <Explained key={kind} whyNot={whyNot(kind)} onClick={() => onMany(kind)}>
            {t(kind === 'kick' ? 'action.kick' : 'command.message')}
          </Explained>
        ))}
        <Button onClick={copy}>{t(isCopied ? 'common.copied' : 'players.copyIds')}</Button>
        <button type="button" className="ghost" aria-label={t('players.clearSelection')} onClick={onClear}>
          <Icon name="close" />
        </button>
      </span>
    </section>
  );
};
