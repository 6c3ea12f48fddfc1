import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { readAmount } from '../amount.ts';
import type { Command, Player, Schemas } from '../api.ts';
import { hubNow } from '../clock.ts';
import { useEntry, useRules } from '../commands/catalogue.ts';
import { formOf, isUnchanged, MAX_COUNT, type Rules, readDraft, textNamed, textOf } from '../commands/form.ts';
import { carriedOf, FormFields, ThingName } from '../commands/form-fields.tsx';
import { type Draft, isLasting, type Kind } from '../commands/kinds.ts';
import { playerParamOf } from '../fields.ts';
import { useTexts } from '../i18n.ts';
import { CheckField, TextField } from '../parts/controls.tsx';
import { ServerName } from '../parts/server-state.tsx';
import { Foreign, isolated, plain } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { Who } from '../parts/who.tsx';
import { useCommands, useProject, useServerNames, useServers } from '../queries.ts';
import { useSession } from '../session.ts';
import { tell } from '../toasts.ts';
import type { Order } from './order.ts';
import { OrderForm } from './order-form.tsx';
import { useOrder } from './use-order.ts';

const RECENT_MS = 10 * 60_000;

/** A change that somebody else has just made to this account: two people may be about to pay the same prize. */
const RecentChange = ({ player, account }: { player: Player; account: string }) => {
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
    <p className="dim" role="note">
      {rich('dialog.recent', {
        name: <Foreign key="name">{actor.name}</Foreign>,
        change: <strong key="change">{`${sign}${number(Number(params['amount']))}`}</strong>,
        time: <Ago key="time" iso={settledAt} />,
      })}
    </p>
  );
};

/** An order, as far as a person has typed it. `kind`: undefined for a custom command. */
type Asked = { kind: Kind | undefined; draft: Draft; rules: Rules; player: Player | undefined };

type Money = {
  /** The balance would not do. */
  isShort: boolean;
  /** The amount is large, and was not typed once more. */
  isUnsure: boolean;
  /** The text of the sending button; undefined: that of the kind. */
  word: string | undefined;
  fields: ReactNode;
  says: ReactNode;
};

/** The change of a balance by an order of money; undefined for other commands. */
const useMoney = ({ kind, draft, rules, player, isTouched }: Asked & { isTouched: boolean }): Money | undefined => {
  const { t, number } = useTexts();
  const { data: bounds } = useProject();
  const [repeated, setRepeated] = useState('');
  if (player === undefined || (kind !== 'give' && kind !== 'take')) return undefined;
  const account = textNamed(draft, 'type', rules);
  const value = readAmount(textNamed(draft, 'amount', rules), rules);
  const balance = player.accounts[account];
  const after =
    typeof value !== 'number' || balance === undefined
      ? undefined
      : kind === 'give'
        ? balance + value
        : balance - value;
  const isShort = after !== undefined && after < 0;
  const isLarge = typeof value === 'number' && bounds !== undefined && value > bounds.confirmAbove;
  const isUnsure = isLarge && readAmount(repeated, rules) !== value;
  return {
    isShort,
    isUnsure,
    word: typeof value === 'number' ? t(`dialog.${kind}.submit`, { amount: number(value) }) : undefined,
    fields: isLarge ? (
      <TextField
        className="wide"
        label={t('dialog.repeat', { amount: number(value) })}
        value={repeated}
        inputMode="numeric"
        autoComplete="off"
        error={isTouched && isUnsure ? t('dialog.repeat.wrong') : undefined}
        onChange={setRepeated}
      />
    ) : null,
    says: (
      <>
        <p className={isShort ? 'effect short' : 'effect'} aria-live="polite">
          <span className="dim">{isolated(account)}</span>{' '}
          <span>
            {balance === undefined ? '…' : number(balance)} →{' '}
            <strong>{after === undefined ? '…' : number(after)}</strong>
            {isShort ? ` · ${t('dialog.short', { missing: number(-after) })}` : null}
          </span>
        </p>
        <RecentChange player={player} account={plain(account)} />
      </>
    ),
  };
};

/** Says what a command will do, with what is typed so far. */
const OrderSentence = ({ kind, draft, rules, serverId, player }: Asked & { serverId: string }) => {
  const { rich, has, number, locale } = useTexts();
  const text = (field: string): string => textNamed(draft, field, rules);
  const [item, plate, grade] = [text('item'), text('plate'), text('grade')];
  const count = readAmount(text('count'), { locale, max: MAX_COUNT });
  const moved = typeof count !== 'number' ? 0 : kind === 'giveItem' ? count : -count;
  const held = player === undefined || item === '' ? undefined : carriedOf(player, item);
  const { grades = [] } = useEntry(serverId, 'jobs', text('job'));
  const vehicle = player?.vehicles.find((each) => each.plate === plate);
  const strong = (shown: string | undefined) => <strong>{shown ?? '…'}</strong>;
  const thing = (of: 'items' | 'vehicles' | 'jobs', name: string) => (
    <ThingName serverId={serverId} kind={of} name={name} />
  );
  const key = `dialog.${kind}.says`;
  if (!has(key)) return null;
  return (
    <p className="sentence">
      {rich(key, {
        name: player && <Foreign>{player.name}</Foreign>,
        server: <ServerName id={serverId} />,
        item: thing('items', item),
        count: strong(typeof count === 'number' ? number(count) : undefined),
        before: strong(held === undefined ? undefined : number(held)),
        after: strong(held === undefined ? undefined : number(Math.max(0, held + moved))),
        model: thing('vehicles', text('model')),
        vehicle: strong(plate === '' ? undefined : `${plain(vehicle?.label ?? plate)} (${plain(plate)})`),
        job: thing('jobs', text('job')),
        grade: strong(grades.find((each) => String(each.grade) === grade)?.label ?? grade),
      })}
    </p>
  );
};

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
 * The dialog of a command for a player, or for all of a server: says what it will do, sends it once, and stays open
 * until its outcome is known. When it is done for a player, it closes, and a toast tells; all else stays here, with what to do.
 */
export const OrderDialog = ({
  kind,
  custom,
  draft: first,
  serverId,
  player,
  again,
  onClose,
}: {
  /** Undefined: it is custom. */
  kind: Kind | undefined;
  custom?: Schemas['Action'];
  draft: Draft;
  serverId: string;
  player?: Player | undefined;
  /** The command without effect that the dialog repeats. */
  again?: Command | undefined;
  onClose: () => void;
}) => {
  const { t, rich } = useTexts();
  const navigate = useNavigate();
  const serverName = useServerNames().get(serverId) ?? serverId;
  const [typed, setTyped] = useState(first.typed);
  const [isTouched, setTouched] = useState(false);
  const [isPatient, setPatient] = useState(false);
  const whom = player?.name ?? ((custom && typed[playerParamOf(custom)]) || serverName);
  const name = custom?.name ?? whom;
  const order = useOrder(whom);
  /** The sent command; a repeated request uses the same one. */
  const [sent, setSent] = useState<Order>();
  const draft = { ...first, typed };
  const rules = {
    ...useRules(serverId),
    ...(player && { accounts: Object.keys(player.accounts) }),
    ...(custom && { customs: new Map([[custom.name, custom]]), hasPlayer: true }),
  };
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
  const readOrder = (): Order | undefined => {
    if (isSame) return { serverId, name: 'again', id: again.id };
    if ('faults' in read) return undefined;
    const { params } = read.command;
    if (custom !== undefined) return { serverId, name: 'custom', command: custom.name, params };
    const body = { ...target, ...params, ...(waits && { deliver: 'when_online' }) };
    // The name is that of the body.
    return { serverId, name: draft.name, body } as Order;
  };
  const wanted = readOrder();
  const submit = (): void => {
    setTouched(true);
    if (!isBlocked && money?.isUnsure !== true && wanted !== undefined) send(wanted);
  };
  const word = kind === undefined ? t('custom.submit') : (money?.word ?? t(`dialog.${kind}.submit`, { amount: '…' }));
  return (
    <OrderForm
      title={kind === undefined ? plain(name) : `${t(`action.${kind}`)}: ${isolated(name)}`}
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
        <p className="dim">
          <Who player={player} />
        </p>
      )}
      {custom && <p className="dim">{t('custom.from')}</p>}
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
      {custom && (
        <p className="sentence">
          {rich('custom.says', {
            name: <Foreign key="name">{custom.name}</Foreign>,
            server: <ServerName key="server" id={serverId} />,
          })}
        </p>
      )}
      {kind && (money?.says ?? <OrderSentence {...{ kind, draft, rules, serverId, player }} />)}
      {again === undefined || !(isSame || 'command' in read) ? null : (
        <p className="dim" role="status">
          {t(isSame ? 'dialog.again.same' : 'dialog.again.changed')}
        </p>
      )}
    </OrderForm>
  );
};
