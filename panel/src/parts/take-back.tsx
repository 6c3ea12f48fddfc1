import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Command, hub } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Button } from './controls.tsx';
import { Failed } from './state.tsx';

/** Takes a command back that has not left. */
export const TakeBack = ({
  id,
  disabled = false,
  onTaken,
}: {
  id: string;
  disabled?: boolean;
  onTaken?: (command: Command) => void;
}) => {
  const client = useQueryClient();
  const { t } = useTexts();
  const takeBack = useMutation({
    mutationFn: () => hub.request('post', '/api/v2/commands/{id}/void', { path: { id } }),
    ...(onTaken !== undefined && { onSuccess: onTaken }),
    onSettled: () =>
      Promise.all([['command', id], ['commands']].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  return (
    <>
      {takeBack.error === null ? null : <Failed error={takeBack.error} lost="once" />}
      <Button disabled={disabled} isBusy={takeBack.isPending} onClick={() => takeBack.mutate()}>
        {t('detail.void')}
      </Button>
    </>
  );
};
