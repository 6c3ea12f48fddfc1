import { CareOrder, FreezeOrder, KickOrder, MessageOrder, TeleportOrder } from './actions.tsx';
import { ItemOrder } from './items.tsx';
import { JobOrder } from './job.tsx';
import { MoneyOrder } from './money.tsx';
import type { OrderProps } from './shell.tsx';
import { VehicleOrder } from './vehicles.tsx';

/** The dialog of a built-in command for a player. */
export const OrderDialog = ({ draft, ...props }: OrderProps) => {
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
