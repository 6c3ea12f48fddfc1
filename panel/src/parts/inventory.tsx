import type { Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Foreign, plain } from './text.tsx';
import { Values } from './values.tsx';

/** The metadata of an item or a vehicle. */
export const Metadata = ({ of }: { of: Record<string, unknown> }) => {
  const { t } = useTexts();
  if (Object.keys(of).length === 0) return null;
  return (
    <details>
      <summary className="dim small">{t('player.details')}</summary>
      <Values of={of} />
    </details>
  );
};

/** A grid of slots, as the game shows it. */
export const Inventory = ({ items }: { items: Player['inventory'] }) => {
  const { t, number } = useTexts();
  return (
    <section className="card whole">
      <h2>{t('player.inventory')}</h2>
      {items.length === 0 ? <p className="dim">{t('player.noInventory')}</p> : null}
      <ul className="slots">
        {items.map(({ slot, name, label, count, metadata }) => (
          <li key={`${slot} ${name}`} title={plain(name)}>
            <span className="dim small">{t('player.slot', { slot })}</span>
            <span className="label">
              <Foreign>{label}</Foreign>
            </span>
            <strong>× {number(count)}</strong>
            <Metadata of={metadata} />
          </li>
        ))}
      </ul>
    </section>
  );
};
