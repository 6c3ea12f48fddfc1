import { type FormEvent, type KeyboardEvent, type RefObject, useState } from 'react';
import type { PlayerSummary, Server } from '../api.ts';
import { type Named, useCatalogue } from '../commands/catalogue.ts';
import { useRows } from '../display.ts';
import { type Texts, useTexts } from '../i18n.ts';
import { ChoiceChip, FieldChip, Segments } from '../parts/chips.tsx';
import { Button, SelectField, TextField } from '../parts/controls.tsx';
import { Foreign, isolated, plain } from '../parts/text.tsx';
import { boundsOf, type PlayerSearch } from './query.ts';

const MAX_LENGTH = 128;
const MAX_DIGITS = 16;
const SHOWN = 10;

/** Closes the menu around a control. */
const close = (control: Element): void => control.closest<HTMLElement>('[popover]')?.hidePopover();

/** A field with what fits to its text below it; a click or Enter takes one. */
const PickForm = ({
  label,
  find,
  onPick,
}: {
  label: string;
  /** A hook; more than are shown means that there are more. */
  find: (text: string) => readonly Named[];
  onPick: (name: string) => void;
}) => {
  const { t } = useTexts();
  const [text, setText] = useState('');
  const entries = find(text.trim());
  const pick = (name: string, control: Element): void => {
    close(control);
    onPick(name);
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const first = entries[0]?.name ?? text.trim();
    if (first !== '') pick(first, event.currentTarget);
  };
  return (
    <form onSubmit={submit}>
      <TextField label={label} value={text} maxLength={MAX_LENGTH} autoComplete="off" onChange={setText} />
      <div className="picks">
        {entries.slice(0, SHOWN).map(({ name, label: shown }) => (
          <button
            key={name}
            type="button"
            className="place"
            title={plain(name)}
            onClick={(event) => pick(name, event.currentTarget)}
          >
            <Foreign>{shown}</Foreign>
          </button>
        ))}
        {entries.length > SHOWN ? <p className="dim small">{t('players.pickMore')}</p> : null}
      </div>
    </form>
  );
};

const JobForm = ({ serverId, onPick }: { serverId: string; onPick: (job: string) => void }) => {
  const { t } = useTexts();
  const useJobs = (text: string) => useCatalogue(serverId, 'jobs', text, SHOWN + 1);
  return <PickForm label={t('players.column.job')} find={useJobs} onPick={onPick} />;
};

/** Chooses a group: one of those in the list, or one that is typed. */
const GroupForm = ({ groups, onPick }: { groups: readonly string[]; onPick: (group: string) => void }) => {
  const { t } = useTexts();
  const fitting = (text: string): Named[] => {
    const all = text === '' || groups.includes(text) ? groups : [text, ...groups];
    return all.filter((name) => name.includes(text)).map((name) => ({ name, label: name }));
  };
  return <PickForm label={t('players.column.group')} find={fitting} onPick={onPick} />;
};

const BalanceForm = ({
  address,
  accounts,
  onSet,
}: {
  address: PlayerSearch;
  accounts: readonly string[];
  onSet: (bounds: { account: string; min: string | undefined; max: string | undefined }) => void;
}) => {
  const { t } = useTexts();
  const bounds = boundsOf(address);
  const [account, setAccount] = useState(bounds?.account ?? accounts[0] ?? '');
  const [typed, setTyped] = useState({ min: String(bounds?.min ?? ''), max: String(bounds?.max ?? '') });
  const digits = (text: string): string | undefined => text.replaceAll(/[^\d-]/g, '') || undefined;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    close(event.currentTarget);
    onSet({ account, min: digits(typed.min), max: digits(typed.max) });
  };
  const field = (name: 'min' | 'max') => (
    <TextField
      label={t(`players.balance.${name}`)}
      value={typed[name]}
      inputMode="numeric"
      maxLength={MAX_DIGITS}
      autoComplete="off"
      onChange={(text) => setTyped((old) => ({ ...old, [name]: text }))}
    />
  );
  return (
    <form onSubmit={submit} className="balance">
      <SelectField
        label={t('dialog.account')}
        value={account}
        onChange={setAccount}
        options={accounts.map((each) => [each, plain(each)] as const)}
      />
      {field('min')}
      {field('max')}
      <Button isMain type="submit">
        {t('players.balance.set')}
      </Button>
    </form>
  );
};

const MAX_SEARCH = 64;
const ONLINE = ['true', 'false'] as const;

type Change = Partial<Record<keyof PlayerSearch, string | undefined>>;

type Known = {
  address: PlayerSearch;
  players: readonly PlayerSummary[];
  servers: readonly Server[];
};

const onlineText = ({ t }: Texts, online: string | undefined): string | undefined => {
  if (online === 'true') return t('players.onlineNow');
  return online === 'false' ? t('state.offline') : undefined;
};

/** The filters that are set, in words, by their fields. */
const valuesOf = (texts: Texts, { address, players, servers }: Known) => {
  const { t, number } = texts;
  const { serverId, job, group } = address;
  const bounds = boundsOf(address);
  const range = (): string | undefined => {
    if (bounds === undefined) return undefined;
    const { account, min, max } = bounds;
    const parts = [
      ...(min === undefined ? [] : [`≥ ${number(min)}`]),
      ...(max === undefined ? [] : [`≤ ${number(max)}`]),
    ];
    return `${plain(account)} ${parts.join(', ')}`;
  };
  const label = job === undefined ? undefined : players.find((player) => player.job?.name === job)?.job?.label;
  const values = {
    online: onlineText(texts, address.online),
    server: serverId && plain(servers.find((server) => server.serverId === serverId)?.name ?? serverId),
    job: job && plain(label ?? job),
    group: group && plain(group),
    balance: range(),
  };
  const names = {
    online: t('players.filter.online'),
    server: t('common.server'),
    job: t('players.column.job'),
    group: t('players.column.group'),
    balance: t('players.filter.balance'),
  };
  return { values, names };
};
type Field = keyof ReturnType<typeof valuesOf>['values'];
const FIELDS: readonly Field[] = ['online', 'server', 'job', 'group', 'balance'];

/** Whether an address has a filter beside the search. */
export const isFiltered = ({ online, serverId, job, group, ...address }: PlayerSearch): boolean =>
  [online, serverId, job, group, boundsOf(address)].some((each) => each !== undefined);

/** The search and the filters, in one line. */
export const wantedText = (texts: Texts, known: Known): string => {
  const { values, names } = valuesOf(texts, known);
  const { search } = known.address;
  const filters = FIELDS.flatMap((field) => {
    const value = values[field];
    return value === undefined ? [] : [`${names[field]}: ${isolated(value)}`];
  });
  return [...(search === undefined ? [] : [`“${isolated(search)}”`]), ...filters].join(' · ');
};

/** The filters by their values alone. */
export const filterWords = (texts: Texts, known: Known): string => {
  const { values } = valuesOf(texts, known);
  return FIELDS.flatMap((field) => values[field] ?? []).join(' · ');
};

/** Nothing of an address but its order. */
export const UNFILTERED = {
  search: undefined,
  serverId: undefined,
  online: undefined,
  job: undefined,
  group: undefined,
  min: undefined,
  max: undefined,
};

/** The chips of the filters that could find something. */
export const Chips = ({
  accounts,
  set,
  ...known
}: Known & {
  accounts: readonly string[];
  set: (change: Change) => void;
}) => {
  const { t, texts } = useTexts();
  const { address, players, servers } = known;
  const { values, names } = valuesOf(texts, known);
  const groups = [...new Set(players.flatMap(({ group }) => group ?? []))].toSorted();
  const hasJobs = values.job !== undefined || players.some(({ job }) => job !== null);
  const ofJobs = address.serverId ?? servers.find(({ connected }) => connected)?.serverId ?? servers[0]?.serverId ?? '';
  const count = FIELDS.filter((field) => values[field] !== undefined).length;
  const clearBounds = { min: undefined, max: undefined, ...(address.sort !== 'balance' && { account: undefined }) };
  const chip = (field: Field, cleared: Change) => ({
    label: names[field],
    value: values[field],
    onUnset: () => set(cleared),
  });
  return (
    <div className="chips">
      <Segments
        label={names.online}
        value={ONLINE.find((online) => online === address.online) ?? ''}
        options={[
          ['', t('common.all')],
          ['true', t('state.online')],
          ['false', t('state.offline')],
        ]}
        onChange={(online) => set({ online: online === '' ? undefined : online })}
      />
      {servers.length > 1 ? (
        <ChoiceChip
          label={names.server}
          value={address.serverId}
          options={servers.map(({ serverId, name }) => [serverId, plain(name)] as const)}
          unset={t('common.allServers')}
          onChange={(serverId) => set({ serverId })}
        />
      ) : null}
      {hasJobs ? (
        <FieldChip {...chip('job', { job: undefined })}>
          {() => <JobForm serverId={ofJobs} onPick={(job) => set({ job })} />}
        </FieldChip>
      ) : null}
      {groups.length > 0 || values.group !== undefined ? (
        <FieldChip {...chip('group', { group: undefined })}>
          {() => <GroupForm groups={groups} onPick={(group) => set({ group })} />}
        </FieldChip>
      ) : null}
      {values.balance !== undefined || accounts.length > 0 ? (
        <FieldChip {...chip('balance', clearBounds)}>
          {() => <BalanceForm address={address} accounts={accounts} onSet={set} />}
        </FieldChip>
      ) : null}
      {count > 1 ? (
        <button type="button" className="link" onClick={() => set(UNFILTERED)}>
          {t('players.clear')}
        </button>
      ) : null}
    </div>
  );
};

/** The field of the search: `/` leads to it, arrows lead on to the rows, Enter opens the first one. */
export const SearchField = ({
  ref,
  value,
  onType,
  onEnter,
  onLeave,
  onDown,
}: {
  ref: RefObject<HTMLInputElement | null>;
  value: string;
  onType: (text: string) => void;
  onEnter: () => void;
  onLeave: () => void;
  onDown: () => void;
}) => {
  const { t } = useTexts();
  const { isPhone } = useRows();
  const press = (event: KeyboardEvent): void => {
    // The key that leads here, pressed once more.
    if (event.key === '/' && value === '') event.preventDefault();
    if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
    event.preventDefault();
    if (event.key === 'Enter') onEnter();
    else onDown();
  };
  return (
    <TextField
      ref={ref}
      className="find"
      aria-label={t('players.search')}
      placeholder={t('players.searchHint')}
      type="search"
      value={value}
      maxLength={MAX_SEARCH}
      // The keyboard of a phone would cover the list.
      autoFocus={!isPhone}
      onChange={onType}
      onBlur={onLeave}
      onKeyDown={press}
    />
  );
};
