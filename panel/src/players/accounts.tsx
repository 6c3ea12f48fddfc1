import { Link } from '@tanstack/react-router';
import type { Command, Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Foreign } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { useCommands } from '../queries.ts';
import { inOrder } from './columns.ts';

const isChangeOf = (type: string, { name, status, params, result }: Command): boolean =>
  name === 'money' && status === 'succeeded' && (result?.['account'] ?? params['type']) === type;

/** The effect of a command on an account, such as +500. */
const Change = ({ command: { id, params, settledAt, createdAt } }: { command: Command }) => {
  const { number } = useTexts();
  const isGiven = params['action'] === 'add';
  return (
    <Link to="/journal/$id" params={{ id }}>
      {isGiven ? '+' : '−'}
      {number(Number(params['amount']))} · <Ago iso={settledAt ?? createdAt} isShort />
    </Link>
  );
};

/** Balances, each with the latest change by staff. */
export const Accounts = ({ player }: { player: Player }) => {
  const { t, number } = useTexts();
  const history = useCommands({ target: player.identifier, serverId: player.serverId });
  const commands = history.data?.pages.flatMap(({ data }) => data) ?? [];
  const types = inOrder(Object.keys(player.accounts));
  return (
    <section className="section accounts">
      <h2>{t('player.accounts')}</h2>
      {types.length === 0 ? (
        <p className="dim">{t('player.noAccounts')}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th>{t('dialog.account')}</th>
              <th className="figure">{t('player.balance')}</th>
              <th className="figure">{t('player.lastChange')}</th>
            </tr>
          </thead>
          <tbody>
            {types.map((type) => {
              const latest = commands.find((command) => isChangeOf(type, command));
              return (
                <tr key={type}>
                  <td>
                    <Foreign>{type}</Foreign>
                  </td>
                  <td className="figure" data-account={type}>
                    {number(player.accounts[type] ?? 0)}
                  </td>
                  <td className="figure">{latest === undefined ? null : <Change command={latest} />}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </section>
  );
};
