import { useState } from 'react';
import type { Schemas } from '../api.ts';
import { useRules } from '../commands/catalogue.ts';
import { readDraft } from '../commands/form.ts';
import { FormFields } from '../commands/form-fields.tsx';
import { CUSTOM, type Typed } from '../commands/kinds.ts';
import { playerParamOf } from '../fields.ts';
import { useTexts } from '../i18n.ts';
import { Foreign, plain } from '../parts/text.tsx';
import type { Order } from './order.ts';
import { OrderForm } from './order-form.tsx';
import { useOrder } from './use-order.ts';

/** Asks for a custom command's parameters, sends it once, and stays open until its outcome is known. */
export const CustomDialog = ({
  serverId,
  command,
  target,
  onClose,
}: {
  serverId: string;
  command: Schemas['Action'];
  /** The player it is for, if it takes one. */
  target: string | undefined;
  onClose: () => void;
}) => {
  const { t, rich } = useTexts();
  const [filled] = useState<Typed>(target === undefined ? {} : { [playerParamOf(command)]: target });
  const [typed, setTyped] = useState(filled);
  const order = useOrder(target ?? serverId);
  const [isTouched, setTouched] = useState(false);
  // The game server may be away by now.
  const rules = { ...useRules(serverId), customs: new Map([[command.name, command]]), hasPlayer: true };
  const draft = { name: CUSTOM + command.name, given: {}, typed };
  const read = readDraft(draft, rules);
  const wanted: Order | undefined =
    'faults' in read ? undefined : { serverId, name: 'custom', command: command.name, params: read.command.params };
  const send = (): void => {
    setTouched(true);
    if (wanted !== undefined) void order.run(wanted);
  };
  return (
    <OrderForm
      title={plain(command.name)}
      name={command.name}
      order={order}
      wanted={wanted}
      isDirty={Object.entries(typed).some(([name, text]) => text !== (filled[name] ?? ''))}
      submit={t('custom.submit')}
      onSubmit={send}
      onAsk={send}
      onClose={onClose}
    >
      <p className="dim small">{t('custom.from')}</p>
      <FormFields
        draft={draft}
        serverId={serverId}
        rules={rules}
        isTouched={isTouched}
        onType={(texts) => setTyped((old) => ({ ...old, ...texts }))}
      />
      <p className="sentence">
        {rich('custom.says', {
          name: <Foreign key="name">{command.name}</Foreign>,
          server: <Foreign key="server">{serverId}</Foreign>,
        })}
      </p>
    </OrderForm>
  );
};
