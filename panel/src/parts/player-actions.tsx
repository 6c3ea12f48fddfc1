import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type { Command, Player, Scope } from '../api.ts';
import { isAnnounced } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import type { MessageKey } from '../messages/en.ts';
import { isLasting, isUndoable, type OrderDraft } from '../orders/draft.ts';
import type { OrderName } from '../orders/order.ts';
import { useServers } from '../queries.ts';
import { useMay } from '../session.ts';
import { Explained } from './explained.tsx';

type Action = {
  text: MessageKey;
  draft: OrderDraft;
  /** The player must be online. */
  isLive?: boolean;
  color?: 'red';
};

/** Actions with a button of their own. */
const FIRST: readonly Action[] = [
  { text: 'action.give', draft: { name: 'money', action: 'add' } },
  { text: 'action.take', draft: { name: 'money', action: 'remove' } },
  { text: 'action.giveItem', draft: { name: 'items', action: 'add' } },
  { text: 'action.takeItem', draft: { name: 'items', action: 'remove' } },
  { text: 'action.kick', draft: { name: 'kick' }, isLive: true, color: 'red' },
];
/** Actions in the menu. */
const OTHERS: readonly Action[] = [
  { text: 'action.giveVehicle', draft: { name: 'vehicles', action: 'give' } },
  { text: 'action.takeVehicle', draft: { name: 'vehicles', action: 'take' } },
  { text: 'action.storeVehicle', draft: { name: 'vehicles', action: 'store' } },
  { text: 'action.job', draft: { name: 'job' } },
  { text: 'action.message', draft: { name: 'message' }, isLive: true },
  { text: 'action.revive', draft: { name: 'revive' }, isLive: true },
  { text: 'action.heal', draft: { name: 'heal' }, isLive: true },
  { text: 'action.freeze', draft: { name: 'freeze', frozen: true }, isLive: true },
  { text: 'action.unfreeze', draft: { name: 'freeze', frozen: false }, isLive: true },
  { text: 'action.teleport', draft: { name: 'teleport' }, isLive: true },
];

const SCOPES: Record<OrderName, Scope> = {
  kick: 'commands:kick',
  money: 'commands:money',
  items: 'commands:items',
  vehicles: 'commands:vehicles',
  job: 'commands:job',
  message: 'commands:announce',
  revive: 'commands:player',
  heal: 'commands:player',
  freeze: 'commands:player',
  teleport: 'commands:player',
};

/** Whether the key may send a command, and the bridge of the player's server offers it, as far as the key may know. */
const useOffered = ({ serverId: own }: Player): ((name: OrderName) => boolean) => {
  const may = useMay();
  const { data: servers } = useServers();
  const server = servers?.find(({ serverId }) => serverId === own);
  const isOffered = (name: OrderName): boolean => {
    if (server !== undefined && server.bridge !== null) return isAnnounced(server, name);
    // Nearly every bridge can kick, and what lasts can wait: these are shown while it is away, too.
    return name === 'kick' || isLasting(name);
  };
  return (name) => may(SCOPES[name]) && (!may('servers:read') || isOffered(name));
};

/** The reason why an action is impossible for the player now; undefined if it is possible. */
const useWhyNot = (player: Player): ((action: Action) => string | undefined) => {
  const { t } = useTexts();
  const { data: servers = [] } = useServers();
  const isDisabled = servers.some(({ serverId, disabled }) => serverId === player.serverId && disabled);
  const hasAccounts = Object.keys(player.accounts).length > 0;
  return ({ draft, isLive = false }) => {
    if (isDisabled) return t('code.server_disabled');
    if (draft.name === 'money' && !hasAccounts) return t('player.noAccounts');
    return isLive && !player.online ? t('code.player_offline') : undefined;
  };
};

/** Whether a command of the player's history can be undone now, by this key. */
export const useCanUndo = (player: Player): ((command: Command) => boolean) => {
  const isOffered = useOffered(player);
  const whyNot = useWhyNot(player);
  const actions = [...FIRST, ...OTHERS];
  return (command) => {
    const action = actions.find(({ draft }) => draft.name === command.name);
    return action !== undefined && isUndoable(command) && isOffered(action.draft.name) && whyNot(action) === undefined;
  };
};

/** The actions for a player. */
export const PlayerActions = ({ player, onChoose }: { player: Player; onChoose: (draft: OrderDraft) => void }) => {
  const { t } = useTexts();
  const may = useMay();
  const isOffered = useOffered(player);
  const whyNot = useWhyNot(player);
  const others = OTHERS.filter(({ draft }) => isOffered(draft.name));
  const menu = useRef<HTMLDetailsElement>(null);
  const chooseOther = ({ draft }: Action): void => {
    // The dialog gives the focus back to what has it now.
    menu.current?.querySelector('summary')?.focus();
    if (menu.current !== null) menu.current.open = false;
    onChoose(draft);
  };
  return (
    <div className="row">
      {FIRST.filter(({ draft }) => isOffered(draft.name)).map((action) => (
        <Explained
          key={action.text}
          whyNot={whyNot(action)}
          {...(action.color !== undefined && { color: action.color })}
          variant={'action' in action.draft && action.draft.action === 'remove' ? 'default' : 'filled'}
          onClick={() => onChoose(action.draft)}
        >
          {t(action.text)}
        </Explained>
      ))}
      {others.length === 0 ? null : (
        <details className="others" ref={menu}>
          <summary>{t('action.others')}</summary>
          <ul className="plain card">
            {others.map((action) => (
              <li key={action.text}>
                <Explained
                  whyNot={whyNot(action)}
                  variant="subtle"
                  fullWidth
                  justify="start"
                  onClick={() => chooseOther(action)}
                >
                  {t(action.text)}
                </Explained>
              </li>
            ))}
          </ul>
        </details>
      )}
      {may('commands:custom') && may('servers:read') ? (
        <Link to="/servers/$serverId" params={{ serverId: player.serverId }} search={{ target: player.identifier }}>
          {t('action.more')}
        </Link>
      ) : null}
    </div>
  );
};
