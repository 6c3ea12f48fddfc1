import { useTexts } from '../i18n.ts';
import { closeOrder, type WantedOrder } from '../open-order.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Loaded } from '../parts/state.tsx';
import { usePlayer } from '../queries.ts';
import { OrderDialog } from './dialog.tsx';
import { opposite } from './draft.ts';

/** The dialog of a command that some page has opened. */
const OrderDesk = ({ order }: { order: WantedOrder }) => {
  const texts = useTexts();
  const query = usePlayer(order.serverId, order.identifier);
  const player = query.data;
  if (player === undefined) {
    return (
      <Dialog title={texts.t('nav.players')} onClose={closeOrder}>
        <Loaded query={query}>{() => null}</Loaded>
      </Dialog>
    );
  }
  const draft = 'draft' in order ? order.draft : opposite(texts, order.undone, player);
  if (draft === undefined) return null;
  return <OrderDialog key={order.number} player={player} draft={draft} onClose={closeOrder} />;
};
export default OrderDesk;
