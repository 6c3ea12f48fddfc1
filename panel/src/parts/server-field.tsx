import { useState } from 'react';
import { useTexts } from '../i18n.ts';
import { useServers } from '../queries.ts';
import { SelectField, TextField } from './controls.tsx';
import { plain } from './text.tsx';

/** The server of a form, until another one is chosen: the first that is connected. It stays when others come. */
export const useServerField = (): string => {
  const { data = [] } = useServers();
  const [first, setFirst] = useState<string>();
  const enabled = data.filter(({ disabled }) => !disabled);
  const found = (enabled.find(({ connected }) => connected) ?? enabled[0])?.serverId;
  if (first === undefined && found !== undefined) setFirst(found);
  return first ?? found ?? '';
};

/** Chooses one server. A key that may not see servers types the id. */
export const ServerField = ({
  value,
  error,
  onChange,
}: {
  value: string;
  error?: string | undefined;
  onChange: (serverId: string) => void;
}) => {
  const { t } = useTexts();
  const { data } = useServers();
  const field = {
    label: t('common.server'),
    value,
    error,
    onChange,
  };
  if (data === undefined) return <TextField {...field} maxLength={63} />;
  return <SelectField {...field} options={data.map(({ serverId, name }) => [serverId, plain(name)] as const)} />;
};
