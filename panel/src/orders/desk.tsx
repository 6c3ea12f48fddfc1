import { useTexts } from '../i18n.ts';
import { closeOrder, type WantedOrder } from '../open-order.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Loaded } from '../parts/state.tsx';
import { usePlayer } from '../queries.ts';
import { AnnounceDialog } from './announce.tsx';
import { OrderDialog } from './dialog.tsx';
import { UndoOrder } from './undo.tsx';

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
