import { type FormEvent, useState } from 'react';
import { type Named, useCatalogue } from '../commands/catalogue.ts';
import { useTexts } from '../i18n.ts';
import { Button, SelectField, TextField } from '../parts/controls.tsx';
import { Foreign, plain } from '../parts/text.tsx';
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

export const JobForm = ({ serverId, onPick }: { serverId: string; onPick: (job: string) => void }) => {
  const { t } = useTexts();
  const useJobs = (text: string) => useCatalogue(serverId, 'jobs', text, SHOWN + 1);
  return <PickForm label={t('players.column.job')} find={useJobs} onPick={onPick} />;
};

/** Chooses a group: one of those in the list, or one that is typed. */
export const GroupForm = ({ groups, onPick }: { groups: readonly string[]; onPick: (group: string) => void }) => {
  const { t } = useTexts();
  const fitting = (text: string): Named[] => {
    const all = text === '' || groups.includes(text) ? groups : [text, ...groups];
    return all.filter((name) => name.includes(text)).map((name) => ({ name, label: name }));
  };
  return <PickForm label={t('players.column.group')} find={fitting} onPick={onPick} />;
};

export const BalanceForm = ({
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
