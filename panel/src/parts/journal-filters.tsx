import { instantOf, localOf } from '../clock.ts';
import { BUILT_IN, describeName, isCustom } from '../commands.tsx';
import { useTyped } from '../filters.ts';
import { type Texts, useTexts } from '../i18n.ts';
import { STATES, statusesOf } from '../outcomes.ts';
import { useServerNames, useServers } from '../queries.ts';
import { ChoiceChip, FieldChip } from './chips.tsx';
import { TextField } from './controls.tsx';
import { isolated, plain, withoutMarks } from './text.tsx';

const DEBOUNCE_MS = 250;

type Chooser = { value: string | undefined; onChange: (value: string | undefined) => void };

/** The words of a filter by state, each once. */
const stateWords = ({ t }: Texts, states: string): string =>
  [...new Set((statusesOf(states) ?? []).map((status) => t(`status.${status}`)))].join(', ');

/** Chooses how commands ended. A link may lead here with several states together. */
export const StateChip = (chooser: Chooser) => {
  const texts = useTexts();
  const { value } = chooser;
  const states = new Set<string>([
    ...STATES,
    ...(statusesOf(value) === undefined || value === undefined ? [] : [value]),
  ]);
  const options = [...states].map((states) => [states, stateWords(texts, states)] as const);
  return <ChoiceChip {...chooser} label={texts.t('journal.state')} options={options} />;
};

/** Chooses one server. Without the scope to see servers, or with one server, there is nothing to choose from. */
export const ServerChip = (chooser: Chooser) => {
  const { t } = useTexts();
  const { data = [] } = useServers();
  if (data.length < 2 && chooser.value === undefined) return null;
  const options = data.map(({ serverId, name }) => [serverId, plain(name)] as const);
  return <ChoiceChip {...chooser} label={t('common.server')} options={options} />;
};

/** Chooses the commands of batches in the list: folded (absent), only batches, or none of them. */
export const BatchesChip = (chooser: Chooser) => {
  const { t } = useTexts();
  const options = [
    ['only', t('journal.batches.only')],
    ['none', t('journal.batches.none')],
  ] as const;
  return <ChoiceChip {...chooser} label={t('nav.batches')} unset={t('journal.batches.folded')} options={options} />;
};

/** Chooses payments that give money, or take it. */
export const DirectionChip = (chooser: Chooser) => {
  const { t } = useTexts();
  const options = [
    ['give', t('sums.given')],
    ['take', t('sums.taken')],
  ] as const;
  return <ChoiceChip {...chooser} label={t('command.money')} options={options} />;
};

/**
 * Selects a command kind: built-in kinds, the custom commands of connected game servers, and those that are `shown`.
 */
export const NameChip = ({ shown, ...chooser }: Chooser & { shown: readonly string[] }) => {
  const texts = useTexts();
  const { data: servers = [] } = useServers();
  const custom = servers.flatMap(({ bridge }) => bridge?.customCommands ?? []).map((name) => `custom:${name}`);
  const others = [...custom, ...shown.filter((name) => name.startsWith('custom:'))].toSorted();
  const names = new Set<string>([...BUILT_IN, ...others, ...(chooser.value === undefined ? [] : [chooser.value])]);
  // A game server may offer a command that is called like a built-in one.
  const labelOf = (name: string): string => {
    const label = describeName(texts, name);
    return isCustom({ name }) ? texts.t('journal.custom', { name: label }) : label;
  };
  const options = [...names].map((name) => [name, labelOf(name)] as const);
  return <ChoiceChip {...chooser} label={texts.t('journal.what')} options={options} />;
};

/** Chooses who asked for it: somebody that is `known`, or a part of a name. */
export const ActorChip = ({
  value,
  known,
  onChange,
}: Chooser & {
  /** The names of keys, by their ids. */
  known: ReadonlyMap<string, string>;
}) => {
  const { t } = useTexts();
  const [typed, setTyped] = useTyped('actor', onChange, DEBOUNCE_MS);
  const name = value === undefined ? undefined : plain(known.get(value) ?? value);
  const choose = (id: string, place: HTMLElement): void => {
    setTyped(id);
    place.closest<HTMLElement>('[popover]')?.hidePopover();
  };
  return (
    <FieldChip label={t('journal.by')} value={name} onUnset={() => setTyped('')}>
      <TextField
        label={t('journal.actor')}
        value={known.has(typed) ? plain(known.get(typed) ?? '') : typed}
        maxLength={128}
        placeholder={t('journal.actorHint')}
        onChange={setTyped}
      />
      {[...known].map(([id, each]) => (
        <button key={id} type="button" className="place" onClick={({ currentTarget }) => choose(id, currentTarget)}>
          <span>{isolated(each)}</span>
        </button>
      ))}
    </FieldChip>
  );
};

/** A filter for a time: local in the field, UTC in the address, so that a link means the same in every zone. */
export const MomentFilter = ({
  name,
  label,
  onChange,
}: Pick<Chooser, 'onChange'> & { name: string; label: string }) => {
  const [typed, setTyped] = useTyped(name, (local) => onChange(instantOf(local)), DEBOUNCE_MS, localOf);
  return (
    <TextField
      className="moment"
      aria-label={label}
      title={label}
      type="datetime-local"
      value={typed}
      onChange={setTyped}
    />
  );
};

type Named = Partial<
  Record<'target' | 'actor' | 'serverId' | 'name' | 'status' | 'state' | 'direction' | 'batches', string | undefined>
>;

/** The filters in words: `Server: Los Santos · What: Kick`. `actor`: the name, where it is known; `state`: its words. */
export const useFilterWords = (): ((search: Named) => string) => {
  const { t, texts } = useTexts();
  const servers = useServerNames();
  return ({ target, actor, serverId, name, status, state, direction, batches }) => {
    const words = [
      [t('journal.player'), target],
      [t('journal.by'), actor],
      [t('common.server'), serverId && (servers.get(serverId) ?? serverId)],
      [t('journal.what'), name && describeName(texts, name)],
      [t('journal.state'), state ?? (status && stateWords(texts, status))],
      [t('command.money'), direction && t(direction === 'give' ? 'sums.given' : 'sums.taken')],
      [t('nav.batches'), batches && t(batches === 'only' ? 'journal.batches.only' : 'journal.batches.none')],
    ] as const;
    return words.flatMap(([label, word]) => (word ? [`${label}: ${isolated(withoutMarks(word))}`] : [])).join(' · ');
  };
};

/** Takes all filters away, where there are several. */
export const ClearFilters = ({ count, onClear }: { count: number; onClear: () => void }) => {
  const { t } = useTexts();
  if (count < 2) return null;
  return (
    <button type="button" className="link" onClick={onClear}>
      {t('filter.clear')}
    </button>
  );
};
