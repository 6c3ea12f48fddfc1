import { type FormEvent, useState } from 'react';
import type { Schemas } from '../api.ts';
import { fieldsOf, playerParamOf, readField } from '../fields.ts';
import { useTexts } from '../i18n.ts';
import { Button } from '../parts/controls.tsx';
import { CustomField } from '../parts/custom-field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Foreign, plain } from '../parts/text.tsx';
import { OrderOutcome } from './outcome.tsx';
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

const Form = ({
  serverId,
  command,
  typed,
  onType,
  onSubmit,
  onClose,
}: {
  serverId: string;
  command: Schemas['Action'];
  typed: Typed;
  onType: (name: string, value: string) => void;
  onSubmit: () => void;
  onClose: () => void;
}) => {
  const { t, rich } = useTexts();
  const [isTouched, setTouched] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTouched(true);
    onSubmit();
  };
  const faultOf = (field: ReturnType<typeof fieldsOf>[number]) => {
    const result = readField(field, typed[field.name] ?? '');
    return isTouched && 'fault' in result ? result.fault : undefined;
  };
  return (
    <form onSubmit={submit} className="stack" noValidate>
      <p className="dim small">{t('custom.from')}</p>
      {fieldsOf(command).map((field) => (
        <CustomField
          key={field.name}
          serverId={serverId}
          field={field}
          value={typed[field.name] ?? ''}
          fault={faultOf(field)}
          onChange={(value) => onType(field.name, value)}
        />
      ))}
      <p className="sentence">
        {rich('custom.says', {
          name: <Foreign key="name">{command.name}</Foreign>,
          server: <Foreign key="server">{serverId}</Foreign>,
        })}
      </p>
      <div className="row end">
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        <Button isMain type="submit">
          {t('custom.submit')}
        </Button>
      </div>
    </form>
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
  const [filled] = useState<Typed>(target === undefined ? {} : { [playerParamOf(command)]: target });
  const [typed, setTyped] = useState(filled);
  const { phase, run, change } = useOrder();
  const params = paramsOf(command, typed);
  const send = (): void => {
    if (params !== undefined) void run({ serverId, name: 'custom', command: command.name, params });
  };
  const isTyped = Object.entries(typed).some(([name, text]) => text !== (filled[name] ?? ''));
  return (
    <FormDialog
      title={plain(command.name)}
      isHeld={phase.is === 'sending'}
      isDirty={phase.is === 'asking' && isTyped}
      onClose={onClose}
    >
      {phase.is === 'asking' ? (
        <Form
          serverId={serverId}
          command={command}
          typed={typed}
          onType={(name, value) => setTyped((old) => ({ ...old, [name]: value }))}
          onSubmit={send}
          onClose={onClose}
        />
      ) : (
        <OrderOutcome phase={phase} name={command.name} onClose={onClose} onChange={change} onAsk={send} />
      )}
    </FormDialog>
  );
};
