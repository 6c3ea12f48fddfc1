import { useState } from 'react';
import { useTexts } from '../i18n.ts';
import { TextField } from '../parts/controls.tsx';
import { plain } from '../parts/text.tsx';
import type { Named } from './draft.ts';
import { among, NamedField, useCatalogue } from './named-field.tsx';
import { type OrderProps, OrderShell } from './shell.tsx';

const MAX_PLATE = 32;
const KINDS = { give: 'giveVehicle', take: 'takeVehicle', store: 'storeVehicle' } as const;

/** Gives a new vehicle. */
const GiveVehicle = (props: OrderProps<'vehicles'>) => {
  const { player, draft } = props;
  const { t } = useTexts();
  const drafted = draft.action === 'give' ? draft : undefined;
  const [model, setModel] = useState<Named | undefined>(drafted?.model);
  const [plate, setPlate] = useState(drafted?.plate ?? '');
  const useModels = (text: string | undefined) => useCatalogue(player.serverId, 'vehicles', text);
  return (
    <OrderShell
      {...props}
      kind="giveVehicle"
      isTyped={model !== drafted?.model || plate !== (drafted?.plate ?? '')}
      blanks={{ model: <strong key="model">{model === undefined ? '…' : plain(model.label)}</strong> }}
      body={(common) =>
        model && {
          ...common,
          action: 'give',
          model: model.name,
          ...(plate.trim() !== '' && { plate: plate.trim() }),
        }
      }
    >
      {(isTouched) => (
        <div className="row top">
          <NamedField
            label={t('dialog.model')}
            chosen={model}
            isMissing={isTouched && model === undefined}
            find={useModels}
            onChoose={setModel}
          />
          <TextField label={t('dialog.plate')} value={plate} maxLength={MAX_PLATE} onChange={setPlate} />
        </div>
      )}
    </OrderShell>
  );
};

/** Takes or stores a vehicle of the player. */
const MoveVehicle = (props: OrderProps<'vehicles'>) => {
  const { player, draft } = props;
  const { t } = useTexts();
  const owned = player.vehicles.map(({ plate: name, label }) => ({ name, label }));
  const [vehicle, setVehicle] = useState<Named | undefined>(() => {
    if (draft.plate === undefined) return undefined;
    return owned.find(({ name }) => name === draft.plate) ?? { name: draft.plate, label: draft.plate };
  });
  const action = draft.action === 'store' ? 'store' : 'take';
  const shown = vehicle === undefined ? '…' : `${plain(vehicle.label)} (${plain(vehicle.name)})`;
  return (
    <OrderShell
      {...props}
      kind={KINDS[action]}
      isTyped={vehicle?.name !== draft.plate}
      blanks={{ vehicle: <strong key="vehicle">{shown}</strong> }}
      body={(common) => vehicle && { ...common, action, plate: vehicle.name }}
    >
      {(isTouched) => (
        <NamedField
          label={t('dialog.vehicle')}
          chosen={vehicle}
          isMissing={isTouched && vehicle === undefined}
          find={(text) => among(owned, text)}
          onChoose={setVehicle}
        />
      )}
    </OrderShell>
  );
};

/** Gives, takes or stores a vehicle. */
export const VehicleOrder = (props: OrderProps<'vehicles'>) =>
  props.draft.action === 'give' ? <GiveVehicle {...props} /> : <MoveVehicle {...props} />;
