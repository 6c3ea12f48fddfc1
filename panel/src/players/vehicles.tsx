import type { Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Foreign, isolated, plain } from '../parts/text.tsx';
import { Metadata } from './inventory.tsx';

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
