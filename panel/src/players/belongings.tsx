import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Command, Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Foreign, isolated, plain } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { textOf, Values } from '../parts/values.tsx';
import { useCommands } from '../queries.ts';
import { inOrder } from './columns.ts';

/** Rows before *Show all*. */
const FIRST = 30;
const FIRST_ACCOUNTS = 10;

const ShowAll = ({ of, onClick }: { of: number; onClick: () => void }) => {
  const { t, number } = useTexts();
  return (
    <button type="button" className="link" onClick={onClick}>
      {t('player.showAll', { count: number(of) })}
    </button>
  );
};

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
  const [isWhole, setWhole] = useState(false);
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
            {(isWhole ? types : types.slice(0, FIRST_ACCOUNTS)).map((type) => {
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
      {types.length > FIRST_ACCOUNTS && !isWhole ? <ShowAll of={types.length} onClick={() => setWhole(true)} /> : null}
    </section>
  );
};

export const Vehicles = ({ vehicles }: { vehicles: Player['vehicles'] }) => {
  const { t } = useTexts();
  const where = ({ stored, garage }: Player['vehicles'][number]): string => {
    if (!stored) return t('player.out');
    return garage === null ? t('player.storedSomewhere') : t('player.stored', { garage: isolated(garage) });
  };
  const hasDetails = vehicles.some(({ metadata }) => Object.keys(metadata).length > 0);
  return (
    <section className="section vehicles">
      <h2>{t('player.vehicles')}</h2>
      {vehicles.length === 0 ? (
        <p className="dim">{t('player.noVehicles')}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th>{t('player.plate')}</th>
              <th>{t('dialog.model')}</th>
              <th>{t('player.where')}</th>
              {hasDetails ? <th>{t('player.details')}</th> : null}
            </tr>
          </thead>
          <tbody>
            {vehicles.map((vehicle) => (
              <tr key={vehicle.plate}>
                <td>
                  <code>
                    <Foreign>{vehicle.plate}</Foreign>
                  </code>
                </td>
                <td className="label" title={plain(vehicle.model)}>
                  <Foreign>{vehicle.label}</Foreign>
                </td>
                <td className="dim">{where(vehicle)}</td>
                {hasDetails ? (
                  <td>
                    <Metadata of={vehicle.metadata} />
                  </td>
                ) : null}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
};

/** The metadata of an item or a vehicle: in one line, and line by line when it is opened. */
const Metadata = ({ of }: { of: Record<string, unknown> }) => {
  if (Object.keys(of).length === 0) return null;
  return (
    <details>
      <summary className="dim">
        <Foreign>{textOf(of)}</Foreign>
      </summary>
      <Values of={of} />
    </details>
  );
};

export const Inventory = ({ items }: { items: Player['inventory'] }) => {
  const { t, number } = useTexts();
  const [isWhole, setWhole] = useState(false);
  const hasDetails = items.some(({ metadata }) => Object.keys(metadata).length > 0);
  return (
    <section className="section inventory">
      <h2>{t('player.inventory')}</h2>
      {items.length === 0 ? (
        <p className="dim">{t('player.noInventory')}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th>{t('dialog.item')}</th>
              <th className="figure">{t('dialog.count')}</th>
              <th className="figure">{t('player.slot')}</th>
              {hasDetails ? <th>{t('player.details')}</th> : null}
            </tr>
          </thead>
          <tbody>
            {(isWhole ? items : items.slice(0, FIRST)).map(({ slot, name, label, count, metadata }) => (
              <tr key={`${slot} ${name}`}>
                <td className="label" title={plain(name)}>
                  <Foreign>{label}</Foreign>
                </td>
                <td className="figure">{number(count)}</td>
                <td className="figure dim">{slot}</td>
                {hasDetails ? (
                  <td>
                    <Metadata of={metadata} />
                  </td>
                ) : null}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {items.length > FIRST && !isWhole ? <ShowAll of={items.length} onClick={() => setWhole(true)} /> : null}
    </section>
  );
};
