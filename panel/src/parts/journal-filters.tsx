import { NativeSelect, TextInput } from '@mantine/core';
import type { Command } from '../api.ts';
import { BUILT_IN, describeName, isCustom } from '../commands.tsx';
import { useTyped } from '../filters.ts';
import { useTexts } from '../i18n.ts';
import { instantOf, localOf } from '../moment.ts';
import { useServers } from '../queries.ts';

const DEBOUNCE_MS = 250;

export const STATUSES: Command['status'][] = [
  'waiting',
  'accepted',
  'dispatched',
  'succeeded',
  'rejected',
  'failed',
  'voided',
  'expired',
  'indeterminate',
  'resolved_applied',
  'resolved_not_applied',
];

type Chooser = { value: string | undefined; onChange: (value: string | undefined) => void };

const Choice = ({ label, value, onChange, data }: Chooser & { label: string; data: [string, string][] }) => {
  const { t } = useTexts();
  return (
    <NativeSelect
      label={label}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
      data={[{ value: '', label: t('common.all') }, ...data.map(([each, text]) => ({ value: each, label: text }))]}
    />
  );
};

/** Chooses how commands ended. */
export const StatusFilter = (chooser: Chooser) => {
  const { t } = useTexts();
  const data = STATUSES.map((status): [string, string] => [status, t(`status.${status}`)]);
  return <Choice {...chooser} label={t('journal.outcome')} data={data} />;
};

/**
 * Selects a command kind: built-in kinds, the custom commands of connected game servers, and those that are `shown`.
 */
export const NameFilter = ({ shown, ...chooser }: Chooser & { shown: readonly string[] }) => {
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
  const data = [...names].map((name): [string, string] => [name, labelOf(name)]);
  return <Choice {...chooser} label={texts.t('journal.command')} data={data} />;
};

/** A filter that is typed: the address follows when the typing pauses. */
export const TextFilter = ({
  name,
  label,
  hint,
  onChange,
}: Pick<Chooser, 'onChange'> & {
  /** The name of the search parameter. */
  name: string;
  label: string;
  hint: string;
}) => {
  const [typed, setTyped] = useTyped(name, onChange, DEBOUNCE_MS);
  return (
    <TextInput
      label={label}
      value={typed}
      maxLength={128}
      placeholder={hint}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
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
    <TextInput
      className="moment"
      label={label}
      type="datetime-local"
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  );
};
