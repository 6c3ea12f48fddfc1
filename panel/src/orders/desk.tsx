import { useTexts } from '../i18n.ts';
import { closeOrder, type WantedOrder } from '../open-order.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Loaded } from '../parts/state.tsx';
import { usePlayer } from '../queries.ts';
import { CareOrder, FreezeOrder, KickOrder, MessageOrder, TeleportOrder } from './actions.tsx';
import { AnnounceDialog } from './announce.tsx';
import { ItemOrder } from './items.tsx';
import { JobOrder } from './job.tsx';
import { MoneyOrder } from './money.tsx';
import type { OrderProps } from './shell.tsx';
import { UndoOrder } from './undo.tsx';
import { VehicleOrder } from './vehicles.tsx';

/** The dialog of a built-in command for a player. */
const OrderDialog = ({ draft, ...props }: OrderProps) => {
  switch (draft.name) {
    case 'kick':
      return <KickOrder {...props} draft={draft} />;
    case 'revive':
    case 'heal':
      return <CareOrder {...props} draft={draft} />;
    case 'message':
      return <MessageOrder {...props} draft={draft} />;
    case 'teleport':
      return <TeleportOrder {...props} draft={draft} />;
    case 'freeze':
      return <FreezeOrder {...props} draft={draft} />;
    case 'money':
      return <MoneyOrder {...props} draft={draft} />;
    case 'items':
      return <ItemOrder {...props} draft={draft} />;
    case 'vehicles':
      return <VehicleOrder {...props} draft={draft} />;
    case 'job':
      return <JobOrder {...props} draft={draft} />;
    default:
      return draft satisfies never;
  }
};

const PlayerOrder = ({ serverId, identifier, draft, again }: Extract<WantedOrder, { draft: unknown }>) => {
  const { t } = useTexts();
  const query = usePlayer(serverId, identifier);
  if (query.data !== undefined) {
    return <OrderDialog player={query.data} draft={draft} again={again} onClose={closeOrder} />;
  }
  return (
    <Dialog title={t('nav.players')} onClose={closeOrder}>
      <Loaded query={query}>{() => null}</Loaded>
    </Dialog>
  );
};

/** The dialog that some page has opened. */
const OrderDesk = ({ order }: { order: WantedOrder }) => {
  if ('undone' in order) return <UndoOrder {...order} onClose={closeOrder} />;
  if ('announced' in order) {
    const { announced } = order;
    return <AnnounceDialog serverId={announced.serverId} again={announced} onClose={closeOrder} />;
  }
  return <PlayerOrder {...order} />;
};
export default OrderDesk;
