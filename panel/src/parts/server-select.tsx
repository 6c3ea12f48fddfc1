import { NativeSelect } from '@mantine/core';
import { useTexts } from '../i18n.ts';
import { useServers } from '../queries.ts';
import { plain } from './text.tsx';

/** Chooses one server, or all. Without the scope to see servers there is nothing to choose from. */
export const ServerSelect = ({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (serverId: string | undefined) => void;
}) => {
  const { t } = useTexts();
  const { data } = useServers();
  if (data === undefined) return null;
  return (
    <NativeSelect
      label={t('common.server')}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
      data={[
        { value: '', label: t('common.allServers') },
        ...data.map(({ serverId, name }) => ({ value: serverId, label: plain(name) })),
      ]}
    />
  );
};
