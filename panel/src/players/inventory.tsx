import { useState } from 'react';
import type { Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Foreign, plain } from '../parts/text.tsx';
import { textOf, Values } from '../parts/values.tsx';

/** Rows before *Show all*. */
const FIRST = 30;

/** The metadata of an item or a vehicle: in one line, and line by line when it is opened. */
export const Metadata = ({ of }: { of: Record<string, unknown> }) => {
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

/** The inventory of the player. */
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
      {items.length > FIRST && !isWhole ? (
        <button type="button" className="link" onClick={() => setWhole(true)}>
          {t('player.showAll', { count: number(items.length) })}
        </button>
      ) : null}
    </section>
  );
};
