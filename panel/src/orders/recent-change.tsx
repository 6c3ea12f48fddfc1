import type { Player } from '../api.ts';
import { hubNow } from '../clock.ts';
import { useTexts } from '../i18n.ts';
import { Foreign } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { useCommands } from '../queries.ts';
import { useSession } from '../session.ts';

const RECENT_MS = 10 * 60_000;

/** A change that somebody else has just made to this account: two people may be about to pay the same prize. */
export const RecentChange = ({ player, account }: { player: Player; account: string }) => {
  const { rich, number } = useTexts();
  const { key } = useSession();
  const { data } = useCommands({ target: player.identifier, serverId: player.serverId });
  const change = data?.pages[0]?.data.find(
    ({ name, status, params, result, actor, settledAt }) =>
      name === 'money' &&
      status === 'succeeded' &&
      (result?.['account'] ?? params['type']) === account &&
      actor.keyId !== key.id &&
      settledAt !== null &&
      hubNow() - Date.parse(settledAt) < RECENT_MS,
  );
  if (change === undefined || change.settledAt === null) return null;
  const { params, actor, settledAt } = change;
  const sign = params['action'] === 'add' ? '+' : '−';
  return (
    <p className="dim wide" role="note">
      {rich('dialog.recent', {
        name: <Foreign key="name">{actor.name}</Foreign>,
        change: <strong key="change">{`${sign}${number(Number(params['amount']))}`}</strong>,
        time: <Ago key="time" iso={settledAt} />,
      })}
    </p>
  );
};
