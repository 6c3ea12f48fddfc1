import { type Kind, kindOf } from '../commands/kinds.ts';
import { useTexts } from '../i18n.ts';
import { closeOrder, type WantedOrder } from '../open-order.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Loaded } from '../parts/state.tsx';
import { usePlayer } from '../queries.ts';
import { LinkedOrder } from './linked.tsx';
import { OrderDialog } from './order-dialog.tsx';

type Wanted = Extract<WantedOrder, { draft: unknown }>;

const PlayerOrder = ({ identifier, kind, ...order }: Wanted & { identifier: string; kind: Kind }) => {
  const { t } = useTexts();
  const query = usePlayer(order.serverId, identifier);
  if (query.data !== undefined) {
    return <OrderDialog {...order} kind={kind} player={query.data} onClose={closeOrder} />;
  }
  return (
    <Dialog title={t('nav.players')} onClose={closeOrder}>
      <Loaded query={query}>{() => null}</Loaded>
    </Dialog>
  );
};

/** The dialog that some page has opened. */
const OrderDesk = ({ order }: { order: WantedOrder }) => {
  if ('of' in order) return <LinkedOrder {...order} onClose={closeOrder} />;
  const { identifier } = order;
  const kind = kindOf(order.draft);
  if (kind === undefined) return null;
  if (identifier === undefined) return <OrderDialog {...order} kind={kind} onClose={closeOrder} />;
  return <PlayerOrder {...order} kind={kind} identifier={identifier} />;
};
export default OrderDesk;
