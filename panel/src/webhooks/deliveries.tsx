import { useMutation, useQuery } from '@tanstack/react-query';
import { hub, type Schemas } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Button } from '../parts/controls.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Empty, Failed, Loaded } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';

const EVERY_MS = 5_000;

type Delivery = Schemas['WebhookDelivery'];

const Row = ({ row, again }: { row: Delivery; again: () => void }) => {
  const { t } = useTexts();
  const { type, state, status, detail, answer, at } = row;
  return (
    <li className="stack" title={answer}>
      <span className="row">
        <code>{type}</code>
        <span className={state === 'delivered' ? 'state dim' : 'state bad'}>{t(`webhooks.state.${state}`)}</span>
        <span className="dim">{status ?? '–'}</span>
        <Ago iso={at} />
        <Button isSmall onClick={again}>
          {t('webhooks.again')}
        </Button>
      </span>
      {detail === null ? null : <Foreign>{detail}</Foreign>}
    </li>
  );
};

/** The events that were sent to a webhook, the newest first; each can be sent again. */
export const Deliveries = ({ id, onClose }: { id: string; onClose: () => void }) => {
  const { t } = useTexts();
  const params = { path: { id } };
  const rows = useQuery({
    queryKey: ['webhook', id],
    queryFn: async () => (await hub.request('get', '/api/v2/webhooks/{id}/deliveries', params)).data,
    refetchInterval: EVERY_MS,
  });
  const retry = useMutation({
    mutationFn: (eventId: string) =>
      hub.request('post', '/api/v2/webhooks/{id}/deliveries/{eventId}/retry', { path: { id, eventId } }),
    onSuccess: () => rows.refetch(),
  });
  return (
    <Dialog title={t('webhooks.deliveries')} isSheet onClose={onClose}>
      {retry.error === null ? null : <Failed error={retry.error} />}
      <Loaded query={rows}>
        {(known) =>
          known.length === 0 ? (
            <Empty title={t('webhooks.nothingSent')} />
          ) : (
            <ul className="stack plain">
              {known.map((row) => (
                <Row key={row.eventId} row={row} again={() => retry.mutate(row.eventId)} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Dialog>
  );
};
