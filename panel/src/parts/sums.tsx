import type { Schemas } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';
import { Foreign, isolated } from './text.tsx';

type Sums = Schemas['CommandSums'];
/** Called with the key whose number was pressed; absent: payments of all keys. */
type Chosen = (keyId?: string) => void;

/** A number that sets the filter to the payments that it counts. */
const Sum = ({ value, keyId, onChoose }: { value: number; keyId?: string; onChoose: Chosen }) => {
  const { number } = useTexts();
  const choose = (place: HTMLElement): void => {
    place.closest<HTMLElement>('[popover]')?.hidePopover();
    onChoose(keyId);
  };
  return (
    <button type="button" className="number" onClick={({ currentTarget }) => choose(currentTarget)}>
      {number(value)}
    </button>
  );
};

const Table = ({ sums, onChoose }: { sums: Sums['data']; onChoose: Chosen }) => {
  const { t } = useTexts();
  return (
    <table>
      <thead>
        <tr>
          <th>{t('journal.by')}</th>
          <th>{t('dialog.account')}</th>
          <th>{t('sums.given')}</th>
          <th>{t('sums.taken')}</th>
          <th>{t('sums.payments')}</th>
        </tr>
      </thead>
      <tbody>
        {sums.map(({ actor, account, given, taken, commands }) => (
          <tr key={`${actor.keyId} ${account}`}>
            <td>
              <Foreign>{actor.name}</Foreign>
            </td>
            <td>
              <Foreign>{account}</Foreign>
            </td>
            {Object.entries({ given, taken, commands }).map(([column, value]) => (
              <td key={column}>
                <Sum value={value} keyId={actor.keyId} onChoose={onChoose} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

/** The money that was given and taken, in one line, and by whom. */
export const SumsLine = ({ sums, onChoose }: { sums: Sums | undefined; onChoose: Chosen }) => {
  const { t, time, rich } = useTexts();
  if (sums === undefined) return <div className="sums" />;
  // A payment whose result names no account is in no account's sum.
  const data = sums.data.filter(({ account }) => typeof account === 'string');
  const { since } = sums;
  const total = (name: 'given' | 'taken'): number => data.reduce((sum, each) => sum + each[name], 0);
  const accounts = [...new Set(data.map(({ account }) => account))];
  if (data.length === 0) return <div className="sums">{t('sums.none')}</div>;
  return (
    <div className="sums">
      <span>
        {rich('sums.line', {
          given: <Sum key="given" value={total('given')} onChoose={onChoose} />,
          taken: <Sum key="taken" value={total('taken')} onChoose={onChoose} />,
          accounts: accounts.map(isolated).join(', '),
        })}
        {since === null ? null : ` · ${t('sums.since', { time: time(since) })}`}
      </span>
      <Menu
        className="fold-out"
        role="dialog"
        popoverClass="menu sums-table"
        name={t('sums.table')}
        label={<Icon name="down" />}
      >
        <Table sums={data} onChoose={onChoose} />
      </Menu>
    </div>
  );
};
