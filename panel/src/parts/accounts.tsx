import { Link } from '@tanstack/react-router';
import type { Command, Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { useCommands } from '../queries.ts';
import { Foreign } from './text.tsx';
import { Ago } from './time.tsx';

const SHOWN = 3;

const isChangeOf = (type: string, { name, status, params, result }: Command): boolean =>
  name === 'money' && status === 'succeeded' && (result?.['account'] ?? params['type']) === type;

/** The effect of a command on an account, such as +500. */
const Change = ({ command }: { command: Command }) => {
  const { number } = useTexts();
  const { id, params, actor, settledAt, createdAt } = command;
  const isGiven = params['action'] === 'add';
  return (
    <li>
      <Link to="/journal/$id" params={{ id }} className={isGiven ? 'change given' : 'change'}>
        {isGiven ? '+' : '−'}
        {number(Number(params['amount']))}
      </Link>{' '}
      <span className="dim">
        <Foreign>{actor.name}</Foreign>, <Ago iso={settledAt ?? createdAt} />
      </span>
    </li>
  );
};

/** Balances, with the latest changes by staff. */
export const Accounts = ({ player }: { player: Player }) => {
  const { t, number } = useTexts();
  const history = useCommands({ target: player.identifier, serverId: player.serverId });
  const commands = history.data?.pages.flatMap(({ data }) => data) ?? [];
  const accounts = Object.entries(player.accounts);
  return (
    <section className="card">
      <h2>{t('player.accounts')}</h2>
      {accounts.length === 0 ? <p className="dim">{t('player.noAccounts')}</p> : null}
      <dl className="accounts">
        {accounts.map(([type, balance]) => {
          const changes = commands.filter((command) => isChangeOf(type, command)).slice(0, SHOWN);
          return (
            <div key={type}>
              <dt className="dim">
                <Foreign>{type}</Foreign>
              </dt>
              <dd data-account={type}>{number(balance)}</dd>
              {changes.length === 0 ? null : (
                <dd className="small">
                  <ul className="plain" aria-label={t('player.changes')}>
                    {changes.map((command) => (
                      <Change key={command.id} command={command} />
                    ))}
                  </ul>
                </dd>
              )}
            </div>
          );
        })}
      </dl>
    </section>
  );
};
