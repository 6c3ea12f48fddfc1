import type { Schemas } from '../api.ts';
import { fieldsBesidePlayer, readField } from '../fields.ts';
import { CustomField } from '../parts/custom-field.tsx';
import type { TaskDraft } from './task.ts';

/** The fields of a declared command; each player of the batch is the one that it names. */
export const CustomTask = ({
  serverId,
  action,
  draft: { custom },
  isTouched,
  onChange,
}: {
  serverId: string;
  action: Schemas['Action'];
  draft: TaskDraft;
  isTouched: boolean;
  onChange: (change: Partial<TaskDraft>) => void;
}) =>
  fieldsBesidePlayer(action).map((field) => {
    const value = custom[field.name] ?? '';
    const read = readField(field, value);
    return (
      <CustomField
        key={field.name}
        serverId={serverId}
        field={field}
        value={value}
        fault={isTouched && 'fault' in read ? read.fault : undefined}
        onChange={(text) => onChange({ custom: { ...custom, [field.name]: text } })}
      />
    );
  });
