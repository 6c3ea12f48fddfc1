import { useState } from 'react';
import type { Schemas } from '../api.ts';
import { fieldsOf, playerParamOf, readField } from '../fields.ts';
import { useTexts } from '../i18n.ts';
import { CustomField } from '../parts/custom-field.tsx';
import { Foreign, plain } from '../parts/text.tsx';
import { OrderForm } from './order-form.tsx';
import { useOrder } from './use-order.ts';

type Typed = Readonly<Record<string, string>>;

/** The parameters that were typed; undefined as long as one of them is missing or wrong. */
const paramsOf = (command: Schemas['Action'], typed: Typed): Record<string, unknown> | undefined => {
  const read = fieldsOf(command).map((field) => [field.name, readField(field, typed[field.name] ?? '')] as const);
  if (read.some(([, result]) => 'fault' in result)) return undefined;
  return Object.fromEntries(
    read.flatMap(([name, result]) => ('value' in result && result.value !== undefined ? [[name, result.value]] : [])),
  );
};

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
  const order = useOrder();
  const [isTouched, setTouched] = useState(false);
  const params = paramsOf(command, typed);
  const send = (): void => {
    setTouched(true);
    if (params !== undefined) void order.run({ serverId, name: 'custom', command: command.name, params });
  };
  return (
    <OrderForm
      title={plain(command.name)}
      name={command.name}
      order={order}
      isDirty={Object.entries(typed).some(([name, text]) => text !== (filled[name] ?? ''))}
      submit={t('custom.submit')}
      onSubmit={send}
      onAsk={send}
      onClose={onClose}
    >
      <p className="dim small">{t('custom.from')}</p>
      {fieldsOf(command).map((field) => {
        const value = typed[field.name] ?? '';
        const read = readField(field, value);
        return (
          <CustomField
            key={field.name}
            serverId={serverId}
            field={field}
            value={value}
            fault={isTouched && 'fault' in read ? read.fault : undefined}
            onChange={(text) => setTyped((old) => ({ ...old, [field.name]: text }))}
          />
        );
      })}
      <p className="sentence">
        {rich('custom.says', {
          name: <Foreign key="name">{command.name}</Foreign>,
          server: <Foreign key="server">{serverId}</Foreign>,
        })}
      </p>
    </OrderForm>
  );
};
