import type { Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Metadata } from './inventory.tsx';
import { Foreign, isolated } from './text.tsx';

export const Vehicles = ({ vehicles }: { vehicles: Player['vehicles'] }) => {
  const { t } = useTexts();
  const where = ({ stored, garage }: Player['vehicles'][number]): string => {
    if (!stored) return t('player.out');
    return garage === null ? t('player.storedSomewhere') : t('player.stored', { garage: isolated(garage) });
  };
  return (
    <section className="card whole">
      <h2>{t('player.vehicles')}</h2>
      {vehicles.length === 0 ? <p className="dim">{t('player.noVehicles')}</p> : null}
      <ul className="slots">
        {vehicles.map((vehicle) => (
          <li key={vehicle.plate}>
            <code>
              <Foreign>{vehicle.plate}</Foreign>
            </code>
            <span className="label">
              <Foreign>{vehicle.label}</Foreign>
            </span>
            <span className="dim small">{where(vehicle)}</span>
            <Metadata of={vehicle.metadata} />
          </li>
        ))}
      </ul>
    </section>
  );
};
