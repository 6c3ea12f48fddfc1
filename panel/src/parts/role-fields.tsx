import { useState } from 'react';
import { useTexts } from '../i18n.ts';
import type { Named } from '../orders/draft.ts';
import { NamedField, useCatalogue } from '../orders/named-field.tsx';
import { AreaField } from './controls.tsx';

/** Longer reasons are for the schema to allow; the hub keeps parameters of 16 KiB. */
const MAX_REASON = 512;

type RoleField = {
  label: string;
  description?: string | undefined;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
};

/** The item of a custom command, from the catalogue of the game server. */
export const ItemField = ({
  label,
  description,
  value,
  error,
  serverId,
  onChange,
}: RoleField & { serverId: string }) => {
  const [picked, setPicked] = useState<Named>();
  const useItems = (text: string | undefined) => useCatalogue(serverId, 'items', text);
  const chosen = picked?.name === value ? picked : { name: value, label: value };
  return (
    <NamedField
      label={label}
      description={description}
      chosen={value === '' ? undefined : chosen}
      isMissing={false}
      error={error}
      find={useItems}
      onChoose={(entry) => {
        setPicked(entry);
        onChange(entry.name);
      }}
      onClear={() => onChange('')}
    />
  );
};

/** Why a custom command is asked for, in the words of the panel: the parameter itself may have any name. */
export const ReasonField = ({
  description,
  value,
  error,
  isRequired,
  onChange,
}: Omit<RoleField, 'label'> & { isRequired: boolean }) => {
  const { t } = useTexts();
  return (
    <AreaField
      label={t(isRequired ? 'common.reason' : 'dialog.reason.optional')}
      description={description}
      value={value}
      maxLength={MAX_REASON}
      rows={2}
      error={error}
      onChange={onChange}
    />
  );
};
