import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Command, Player } from '../api.ts';
import { formOf, isUnchanged, type Rules, readDraft, textNamed, textOf } from '../commands/form.ts';
import { FormFields } from '../commands/form-fields.tsx';
import { type Draft, isLasting, type Kind } from '../commands/kinds.ts';
import { useRules } from '../commands/rules.ts';
import { useTexts } from '../i18n.ts';
import { CheckField } from '../parts/controls.tsx';
import { isolated } from '../parts/text.tsx';
import { Who } from '../parts/who.tsx';
import { useServers } from '../queries.ts';
import { tell } from '../toasts.ts';
import { useMoney } from './money.tsx';
import type { Order } from './order.ts';
import { OrderForm } from './order-form.tsx';
import { OrderSentence } from './sentence.tsx';
import { useOrder } from './use-order.ts';

/** Whether a command that is sent now cannot take effect: the player is offline, or the game server is away. */
const useIsAway = (serverId: string, player: Player | undefined): boolean => {
  const { data: servers = [] } = useServers();
  return player?.online === false || servers.some((server) => server.serverId === serverId && !server.connected);
};

/** The first field that is to be filled in, or else the last one. */
const useFocused = (draft: Draft, rules: Rules): string | undefined => {
  const [focused] = useState(() => {
    const fields = formOf(draft, rules)?.fields ?? [];
    const empty = fields.find((field) => field.is !== 'plate' && textOf(draft, field, rules) === '');
    return (empty ?? fields.at(-1))?.name;
  });
  return focused;
};

/**
 * The dialog of a built-in command for a player, or for all of a server: says what it will do, sends it once, and stays open
 * until its outcome is known. When it is done for a player, it closes, and a toast tells; all else stays here, with what to do.
 */
export const OrderDialog = ({
  kind,
  draft: first,
  serverId,
  player,
  again,
  onClose,
}: {
  kind: Kind;
  draft: Draft;
  serverId: string;
  player?: Player | undefined;
  /** The command without effect that the dialog repeats. */
  again?: Command | undefined;
  onClose: () => void;
}) => {
  const { t } = useTexts();
  const navigate = useNavigate();
  const [typed, setTyped] = useState(first.typed);
  const [isTouched, setTouched] = useState(false);
  const [isPatient, setPatient] = useState(false);
  const name = player?.name ?? serverId;
  const order = useOrder(name);
  /** The sent command; a repeated request uses the same one. */
  const [sent, setSent] = useState<Order>();
  const draft = { ...first, typed };
  const rules = { ...useRules(serverId), ...(player && { accounts: Object.keys(player.accounts) }) };
  const isAway = useIsAway(serverId, player);
  const mayWait = isLasting(draft.name) && (isAway || isPatient);
  const waits = mayWait && isPatient;
  // A program may have given no reason.
  const loose = readDraft(draft, { ...rules, reasonFor: [] });
  const isSame = again !== undefined && !waits && isUnchanged(draft, loose);
  const read = isSame ? loose : readDraft(draft, rules);
  const money = useMoney({ kind, draft, rules, player, isTouched });
  // The balance of a player who is away is read again before the command is sent.
  const isBlocked = money?.isShort === true && !waits;
  const send = (wanted: Order): void => {
    setSent(wanted);
    void order.run(wanted);
  };
  const target = player && { target: player.identifier };
  const wanted: Order | undefined = isSame
    ? { serverId, name: 'again', id: again.id }
    : 'faults' in read
      ? undefined
      : // The name is that of the body.
        ({
          serverId,
          name: draft.name,
          body: { ...target, ...read.command.params, ...(waits && { deliver: 'when_online' }) },
        } as Order);
  const submit = (): void => {
    setTouched(true);
    if (!isBlocked && money?.isUnsure !== true && wanted !== undefined) send(wanted);
  };
  const word = money?.word ?? t(`dialog.${kind}.submit`, { amount: '…' });
  return (
    <OrderForm
      title={`${t(`action.${kind}`)}: ${isolated(name)}`}
      name={name}
      order={order}
      wanted={wanted}
      isDirty={Object.keys(typed).some((each) => typed[each] !== textNamed(first, each, rules))}
      submit={isSame ? t('detail.again') : waits ? t('dialog.wait.submit') : word}
      isOff={isBlocked}
      onSubmit={submit}
      onAsk={() => sent && send(sent)}
      onDone={
        player &&
        ((command) => {
          tell(command, player.name);
          if (again !== undefined) void navigate({ to: '/journal/$id', params: { id: command.id } });
        })
      }
      onClose={onClose}
    >
      {player && (
        <p className="dim small">
          <Who player={player} />
        </p>
      )}
      <FormFields
        draft={draft}
        serverId={serverId}
        rules={rules}
        isTouched={isTouched && !isSame}
        player={player}
        focused={useFocused(first, rules)}
        onType={(texts) => setTyped((old) => ({ ...old, ...texts }))}
      >
        {money?.fields}
      </FormFields>
      {mayWait ? <CheckField label={t('dialog.wait')} checked={isPatient} onChange={setPatient} /> : null}
      {money?.says ?? <OrderSentence {...{ kind, draft, rules, serverId, player }} />}
      {again === undefined || !(isSame || 'command' in read) ? null : (
        <p className="dim" role="status">
          {t(isSame ? 'dialog.again.same' : 'dialog.again.changed')}
        </p>
      )}
    </OrderForm>
  );
};
