import type { Schemas } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';
import { Foreign, isolated } from './text.tsx';

type Sums = Schemas['CommandSums'];
/** The payments that a number counts. Without a key, they are of all keys; without a direction, of both. */
type Counted = { actor?: string; direction?: 'give' | 'take' };
type Chosen = (counted: Counted) => void;

const DIRECTIONS = { given: 'give', taken: 'take' } as const;
const SIGNS = { given: '+', taken: '−' };
/** More of them fit in no line. */
const MOST = 8;

/** A number that sets the filter to the payments that it counts. */
const Sum = ({
  value,
  sign = '',
  onChoose,
  ...counted
}: Counted & { value: number; sign?: string; onChoose: Chosen }) => {
  const { number } = useTexts();
  const choose = (place: HTMLElement): void => {
    place.closest<HTMLElement>('[popover]')?.hidePopover();
    onChoose(counted);
  };
  return (
    <button type="button" className="number" onClick={({ currentTarget }) => choose(currentTarget)}>
      {sign + number(value)}
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
            <td>
              <Sum value={given} actor={actor.keyId} direction="give" onChoose={onChoose} />
            </td>
            <td>
              <Sum value={taken} actor={actor.keyId} direction="take" onChoose={onChoose} />
            </td>
            <td>
              <Sum value={commands} actor={actor.keyId} onChoose={onChoose} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};

/** The people who moved the most, as many as fit: `Anna +500 −20`. */
const Largest = ({ sums, hasAccounts, onChoose }: { sums: Sums['data']; hasAccounts: boolean; onChoose: Chosen }) => (
  <div className="largest">
    {sums.map(({ actor: { keyId, name }, account, ...sum }) => (
      <span key={`${keyId} ${account}`} className="by-whom">
        <Foreign>{name}</Foreign>
        {(['given', 'taken'] as const).map((way) =>
          sum[way] === 0 ? null : (
            <Sum
              key={way}
              value={sum[way]}
              sign={SIGNS[way]}
              actor={keyId}
              direction={DIRECTIONS[way]}
              onChoose={onChoose}
            />
          ),
        )}
        {hasAccounts ? <Foreign>{account}</Foreign> : null}
      </span>
    ))}
  </div>
);

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
          given: <Sum key="given" value={total('given')} direction="give" onChoose={onChoose} />,
          taken: <Sum key="taken" value={total('taken')} direction="take" onChoose={onChoose} />,
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
      <Largest sums={data.slice(0, MOST)} hasAccounts={accounts.length > 1} onChoose={onChoose} />
    </div>
  );
};
