import { useQuery } from '@tanstack/react-query';
import { hub, type Schemas } from '../api.ts';
import type { Texts } from '../i18n.ts';
import { EVERY_MS } from '../queries.ts';
import { useMay } from '../session.ts';

export type Webhook = Schemas['Webhook'];
export type EventType = NonNullable<Schemas['NewWebhook']['types']>[number];

/** The types of events that a webhook can choose, each with the text of its group. */
const GROUP_OF: Record<EventType, 'webhooks.commands' | 'nav.schedules' | 'nav.shops' | 'nav.servers'> = {
  'command.settled': 'webhooks.commands',
  'command.waiting': 'webhooks.commands',
  'command.indeterminate': 'webhooks.commands',
  'batch.settled': 'webhooks.commands',
  'schedule.run': 'nav.schedules',
  'schedule.refused': 'nav.schedules',
  'schedule.paused': 'nav.schedules',
  'shop.line.unmatched': 'nav.shops',
  'shop.line.delivered': 'nav.shops',
  'server.offline': 'nav.servers',
  'server.online': 'nav.servers',
  'player.first_seen': 'nav.servers',
  'webhook.off': 'nav.servers',
};
export const ALL_TYPES = Object.keys(GROUP_OF) as EventType[];
export const GROUPS = [...new Set(Object.values(GROUP_OF))];
export const typesIn = (group: (typeof GROUPS)[number]): EventType[] =>
  ALL_TYPES.filter((type) => GROUP_OF[type] === group);

/** A type of events in words; one that this panel does not know as it is. */
export const typeInWords = ({ textOr }: Texts, type: string): string => textOr(`event.${type}`, type);

/** What a webhook is called: its name, or its address, if the hub can read that. */
export const nameOf = ({ id, name, url }: Pick<Webhook, 'id' | 'name' | 'url'>): string => name ?? url ?? id;

export const readWebhooks = async (): Promise<Webhook[]> => (await hub.request('get', '/api/v2/webhooks')).data;

/** All webhooks of the project that the key sees. `isWanted`: false reads none. */
export const useWebhooks = (isWanted = true) => {
  const may = useMay();
  return useQuery({
    queryKey: ['webhooks'],
    queryFn: readWebhooks,
    enabled: isWanted && may('webhooks:write'),
    refetchInterval: EVERY_MS,
  });
};
