import { useState } from 'react';
import { readAmount } from '../amount.ts';
import { useTexts } from '../i18n.ts';
import { useServers } from '../queries.ts';
import { useMay } from '../session.ts';
import {
  AreaField,
  type AreaFieldProps,
  CheckField,
  SelectField,
  TextField,
  type TextFieldProps,
} from './controls.tsx';
import { plain } from './text.tsx';

/** The list with a value that was not in it, or without it. */
export const toggled = <T,>(list: readonly T[], value: T): T[] =>
  list.includes(value) ? list.filter((each) => each !== value) : [...list, value];

/** Some of the game servers, or none for all. Nothing where there is only one. */
export const ServerChecks = ({
  chosen,
  onChange,
}: {
  chosen: readonly string[];
  onChange: (servers: string[]) => void;
}) => {
  const { t } = useTexts();
  const { data: servers = [] } = useServers();
  if (servers.length < 2) return null;
  return (
    <fieldset>
      <legend>{t('keys.servers')}</legend>
      <div className="checks">
        {servers.map(({ serverId, name }) => (
          <CheckField
            key={serverId}
            label={plain(name)}
            checked={chosen.includes(serverId)}
            onChange={() => onChange(toggled(chosen, serverId))}
          />
        ))}
      </div>
    </fieldset>
  );
};

/** Longer than any number: one that is cut short would be another one. */
const MAX_DIGITS = 64;
const MAX_ACCOUNT = 64;
const MAX_REASON = 512;
const MAX_MESSAGE = 1_024;
const EXAMPLE = 15_000;

/** A whole number from 1 to `max`, or nothing in an optional field. It shows its fault, or else that of the hub. */
export const NumberField = ({
  value,
  max,
  isTouched = true,
  isOptional = false,
  error,
  large,
  ...field
}: Omit<TextFieldProps, 'value' | 'max'> & {
  value: string;
  max: number;
  isTouched?: boolean;
  isOptional?: boolean;
  /** Says that it is above `max`. */
  large?: string;
}) => {
  const { t, number, locale } = useTexts();
  const read = readAmount(value, { locale, max });
  const faults = {
    wrong: t('dialog.amount.wrong', { plain: EXAMPLE, grouped: number(EXAMPLE) }),
    large: large ?? t('dialog.amount.large', { max: number(max) }),
  };
  const isFaulty = isTouched && !(isOptional && value.trim() === '');
  return (
    <TextField
      {...field}
      value={value}
      inputMode="numeric"
      maxLength={MAX_DIGITS}
      error={isFaulty && typeof read !== 'number' ? faults[read] : error}
    />
  );
};

/** An account of the game server. One that is away has told none: then the name is typed. */
export const AccountField = ({
  known,
  value,
  error,
  onChange,
}: {
  known: readonly string[];
  value: string;
  error?: string | undefined;
  onChange: (account: string) => void;
}) => {
  const { t } = useTexts();
  const field = { label: t('dialog.account'), value, error, onChange };
  if (known.length === 0) return <TextField {...field} maxLength={MAX_ACCOUNT} />;
  return (
    <SelectField {...field} options={[...new Set([...known, value])].map((each) => [each, plain(each)] as const)} />
  );
};

type SentenceProps = Omit<AreaFieldProps, 'value'> & { value: string; isTouched: boolean };

/** A text that players read. */
export const MessageField = ({ value, isTouched, ...area }: SentenceProps) => {
  const { t } = useTexts();
  return (
    <AreaField
      label={t('dialog.message.field')}
      value={value}
      maxLength={MAX_MESSAGE}
      rows={3}
      error={isTouched && value.trim() === '' ? t('dialog.message.missing') : undefined}
      {...area}
    />
  );
};

export const ReasonField = ({ value, isTouched, ...area }: SentenceProps) => {
  const { t } = useTexts();
  return (
    <AreaField
      label={t('common.reason')}
      value={value}
      maxLength={MAX_REASON}
      rows={2}
      error={isTouched && value.trim() === '' ? t('dialog.reason.missing') : undefined}
      {...area}
    />
  );
};

/** Why something is done, in one line; it can be left out. */
export const ReasonLine = (field: Omit<TextFieldProps, 'label'> & { label?: string }) => {
  const { t } = useTexts();
  return <TextField label={t('dialog.reason.optional')} maxLength={MAX_REASON} autoComplete="off" {...field} />;
};

/** The server of a form, until another one is chosen: the first that is connected. It stays when others come. */
export const useServerField = (): string => {
  const { data = [] } = useServers();
  const [first, setFirst] = useState<string>();
  const enabled = data.filter(({ disabled }) => !disabled);
  const found = (enabled.find(({ connected }) => connected) ?? enabled[0])?.serverId;
  if (first === undefined && found !== undefined) setFirst(found);
  return first ?? found ?? '';
};

/** Chooses one server. A key that may not see servers types the id. */
export const ServerField = ({
  value,
  error,
  onChange,
}: {
  value: string;
  error?: string | undefined;
  onChange: (serverId: string) => void;
}) => {
  const { t } = useTexts();
  const may = useMay();
  const { data = [] } = useServers();
  const field = { label: t('common.server'), value, error, onChange };
  if (!may('servers:read')) return <TextField {...field} maxLength={63} />;
  return <SelectField {...field} options={data.map(({ serverId, name }) => [serverId, plain(name)] as const)} />;
};
