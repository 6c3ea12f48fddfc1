import { useTexts } from '../i18n.ts';
import { useServers } from '../queries.ts';
import { SelectField, TextField } from './controls.tsx';
import { plain } from './text.tsx';

/** The server of a form: the first one, until another one is chosen. */
export const useServerField = () => useServers().data?.find(({ disabled }) => !disabled)?.serverId ?? '';

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
