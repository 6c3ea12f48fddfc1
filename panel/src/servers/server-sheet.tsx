import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { hub, type Server } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { TextField } from '../parts/controls.tsx';
import { Sheet } from '../parts/sheet.tsx';

const ID = /^[a-z0-9][a-z0-9_-]{0,62}$/;

type Made = { serverId: string; token: string };

/** Adds a server, or renames `server`. `onDone` gets the token of a new one. */
export const ServerSheet = ({
  server,
  onDone,
  onClose,
}: {
  server: Server | undefined;
  onDone: (made: Made | undefined) => void;
  onClose: () => void;
}) => {
  const { t } = useTexts();
  const [id, setId] = useState('');
  const [name, setName] = useState(server?.name ?? '');
  const trimmed = name.trim();
  const save = useMutation({
    mutationFn: async (): Promise<Made | undefined> => {
      if (server === undefined) {
        const body = { serverId: id, ...(trimmed !== '' && { name: trimmed }) };
        return hub.request('post', '/api/v2/servers', { body });
      }
      const params = { path: { serverId: server.serverId } };
      await hub.request('patch', '/api/v2/servers/{serverId}', { ...params, body: { name: trimmed } });
      return undefined;
    },
    onSuccess: onDone,
  });
  const isDirty = id !== '' || name !== (server?.name ?? '');
  return (
    <Sheet
      title={t(server === undefined ? 'servers.add' : 'servers.rename')}
      submit={t(server === undefined ? 'servers.make' : 'common.save')}
      isDirty={isDirty && !save.isSuccess}
      isReady={server === undefined ? ID.test(id) : trimmed !== '' && isDirty}
      isPending={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {server === undefined ? (
        <TextField
          label={t('servers.id')}
          value={id}
          maxLength={63}
          data-autofocus
          description={t('servers.idSays')}
          error={id === '' || ID.test(id) ? undefined : t('servers.idWrong')}
          onChange={setId}
        />
      ) : null}
      <TextField
        label={t('common.name')}
        value={name}
        maxLength={128}
        data-autofocus={server !== undefined || undefined}
        onChange={setName}
      />
    </Sheet>
  );
};
