import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { readPlayer } from '../queries.ts';
import { Button } from './controls.tsx';
import { Ago } from './time.tsx';

/** The age of a player's record, and a button that reads it from the game server. */
export const Freshness = ({ player: { serverId, identifier, syncedAt } }: { player: Player }) => {
  const { t, rich } = useTexts();
  const client = useQueryClient();
  const refresh = useMutation({
    mutationFn: () => readPlayer(serverId, identifier, true),
    onSuccess: (fresh) => client.setQueryData(['player', serverId, identifier], fresh),
  });
  return (
    <span className="row">
      <span className="dim small">{rich('player.synced', { time: <Ago key="time" iso={syncedAt} /> })}</span>
      <Button isSmall isBusy={refresh.isPending} onClick={() => refresh.mutate()}>
        {t('player.refresh')}
      </Button>
    </span>
  );
};
