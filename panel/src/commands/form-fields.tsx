import type { ReactNode } from 'react';
import { fold } from '../../../bridge-protocol/fold.ts';
import type { Player } from '../api.ts';
import { choiceText, type Fault, type Field, readField } from '../fields.ts';
import { useTexts } from '../i18n.ts';
import type { MessageKey } from '../messages/keys.ts';
import { Chooser, choiceOf } from '../parts/combobox.tsx';
import { AccountField, MessageField, NumberField, ReasonField, ReasonLine } from '../parts/common-fields.tsx';
import { AreaField, SelectField, TextField, type TextFieldProps } from '../parts/controls.tsx';
import { PlayerFilter } from '../parts/player-filter.tsx';
import { Foreign, isolated, plain } from '../parts/text.tsx';
import { textOf as textOfValue } from '../parts/values.tsx';
import { among, type Entry, type Named, useCatalogue, useEntry, useKeepEntry } from './catalogue.ts';
import {
  type BuiltInField,
  type Catalogue,
  type FormFault,
  formOf,
  JSON_FIELD,
  jsonText,
  keptParams,
  MAX_COUNT,
  type Rules,
  readDraft,
  readPlace,
  textNamed,
  textOf,
} from './form.ts';
import type { Draft, Typed } from './kinds.ts';

type Chosen = Pick<TextFieldProps, 'description' | 'error'> & { label: string };

/** Chooses one of the things that `find` offers for the typed text. */
const NamedField = <E extends Named>({
  hint,
  ...field
}: Chosen & {
  chosen: string;
  find: (text: string | undefined) => readonly E[];
  hint?: ((entry: E) => ReactNode) | undefined;
  onChoose: (entry: E) => void;
  onClear?: (() => void) | undefined;
  onLeft?: (text: string, entries: readonly E[]) => void;
}) => (
  <Chooser
    {...field}
    choice={(entry) =>
      choiceOf(
        entry.name,
        entry.label,
        <>
          <Foreign>{entry.name}</Foreign>
          {hint?.(entry)}
        </>,
      )
    }
  />
);

/** A thing of the game, chosen from a catalogue of the server, or from what `find` offers. */
export const ThingField = ({
  serverId,
  kind,
  value,
  find,
  isFree = false,
  onChoose,
  ...field
}: Chosen & {
  serverId: string;
  kind: Catalogue;
  value: string;
  find?: ((text: string | undefined) => readonly Entry[]) | undefined;
  hint?: ((entry: Entry) => ReactNode) | undefined;
  /** A text that nothing was chosen for is a name, too. */
  isFree?: boolean;
  onChoose: (entry: Entry) => void;
  onClear?: () => void;
}) => {
  const keep = useKeepEntry();
  const { label } = useEntry(serverId, kind, value);
  const useListed = (text: string | undefined) => useCatalogue(serverId, kind, text);
  const choose = (entry: Entry): void => {
    keep(serverId, kind, entry);
    onChoose(entry);
  };
  const leave = (text: string, entries: readonly Entry[]): void => {
    const isMeant = ({ name, label: shown }: Entry): boolean => [name, shown].some((each) => fold(each) === fold(text));
    const meant = entries.find(isMeant);
    if (meant === undefined) onChoose({ name: text, label: text });
    else choose(meant);
  };
  return (
    <NamedField
      {...field}
      chosen={label}
      find={find ?? useListed}
      onChoose={choose}
      {...(isFree && { onLeft: leave })}
    />
  );
};

export const ThingName = ({ serverId, kind, name }: { serverId: string; kind: Catalogue; name: string }) => {
  const { label } = useEntry(serverId, kind, name);
  return <strong>{name === '' ? '…' : plain(label)}</strong>;
};

const useFaultText = (): ((field: Field, fault: Fault) => string) => {
  const { t, number } = useTexts();
  return ({ is, role, schema }, fault) => {
    if (role === 'reason' && fault === 'missing') return t('dialog.reason.missing');
    const { minimum, maximum } = schema;
    if (is === 'number' && fault === 'wrong' && typeof minimum === 'number' && typeof maximum === 'number') {
      return t('custom.field.between', { from: number(minimum), to: number(maximum) });
    }
    return t(`custom.field.${fault}`);
  };
};

const CustomField = ({
  serverId,
  field,
  value,
  fault,
  hubError,
  onChange,
}: {
  serverId: string;
  field: Field;
  value: string;
  fault: Fault | undefined;
  hubError?: string | undefined;
  onChange: (value: string) => void;
}) => {
  const { t } = useTexts();
  const textOf = useFaultText();
  const { name, role, is, isRequired, hint, choices } = field;
  const label = isRequired ? plain(name) : t('custom.field.optional', { name: isolated(name) });
  const error = fault === undefined ? hubError : textOf(field, fault);
  const common = { label, description: hint === '' ? undefined : plain(hint), error, value };
  if (is === 'choice') {
    const options = ['', ...choices.map(choiceText)].map((each) => [each, each === '' ? '–' : plain(each)] as const);
    return <SelectField {...common} options={options} onChange={onChange} />;
  }
  if (role === 'item') {
    return (
      <ThingField
        {...common}
        serverId={serverId}
        kind="items"
        onChoose={(entry) => onChange(entry.name)}
        onClear={() => onChange('')}
      />
    );
  }
  if (role === 'reason') {
    // In the words of the panel: the parameter itself may have any name.
    const why = t(isRequired ? 'common.reason' : 'dialog.reason.optional');
    return <ReasonField {...common} label={why} isTouched={false} onChange={onChange} />;
  }
  if (role === 'player') {
    return (
      <PlayerFilter
        label={label}
        description={common.description}
        error={error}
        target={value === '' ? undefined : value}
        name={undefined}
        serverId={serverId}
        onChange={(target) => onChange(target ?? '')}
      />
    );
  }
  if (is === 'json') {
    return <AreaField {...common} placeholder="{ }" onChange={onChange} />;
  }
  const mode = is === 'number' ? ('decimal' as const) : ('text' as const);
  return <TextField {...common} inputMode={mode} onChange={onChange} />;
};

const MAX_GRADE = 6;
const MAX_PLATE = 32;
const MAX_PLACE = 64;
const MAX_JSON = 4_096;

type Fields = {
  draft: Draft;
  serverId: string;
  rules: Rules;
  isTouched: boolean;
  /** The one whom the command is for: the form offers what this player has. */
  player?: Player | undefined;
  isForMany?: boolean;
  focused?: string | undefined;
  hubError?: (field: string) => string | undefined;
  /** Between the fields and the reason. */
  children?: ReactNode;
  onType: (typed: Typed) => void;
};

const FAULTS: Partial<Record<FormFault, MessageKey>> = {
  choose: 'dialog.choose',
  grade: 'dialog.grade.wrong',
  place: 'dialog.place.wrong',
  message: 'dialog.message.missing',
  reason: 'dialog.reason.missing',
  missing: 'custom.field.missing',
  json: 'custom.field.json',
};

/** The fault of a field: that of the panel once the form was sent, or else that of the hub. */
const useErrorOf = ({ draft, rules, isTouched, hubError }: Fields): ((field: string) => string | undefined) => {
  const { t } = useTexts();
  const read = readDraft(draft, rules);
  return (field) => {
    const fault = isTouched && 'faults' in read ? read.faults[field] : undefined;
    const text = fault && FAULTS[fault];
    return text === undefined ? hubError?.(field) : t(text);
  };
};

export const carriedOf = ({ inventory }: Player, item: string): number =>
  inventory.filter(({ name }) => name === item).reduce((sum, { count }) => sum + count, 0);

const carriedBy = ({ inventory }: Player): Named[] => [
  ...new Map(inventory.map(({ name, label }) => [name, { name, label }])).values(),
];

/** A field, and what all kinds of fields have. */
type Own = Fields & {
  field: BuiltInField;
  common: {
    label: string;
    value: string;
    error: string | undefined;
    'data-autofocus': true | undefined;
    onChange: (text: string) => void;
  };
};

const Thing = ({ field: { name, of = 'items' }, common, draft, serverId, player, isForMany, onType }: Own) => {
  const { t, number } = useTexts();
  const { onChange: _, ...shown } = common;
  const carrier = of === 'items' ? player : undefined;
  const isTaken = draft.given['action'] !== 'add';
  return (
    <ThingField
      {...shown}
      description={isForMany && of === 'vehicles' ? t('task.plates') : undefined}
      serverId={serverId}
      kind={of}
      find={carrier && isTaken ? (text) => among(carriedBy(carrier), text) : undefined}
      hint={carrier && (({ name: item }) => ` · ${t('dialog.item.has', { count: number(carriedOf(carrier, item)) })}`)}
      onChoose={(entry) => {
        const grade = entry.grades?.[0]?.grade ?? 0;
        onType({ [name]: entry.name, ...(of === 'jobs' && { grade: String(grade) }) });
      }}
    />
  );
};

/** A vehicle of the player; without one, its plate is typed. */
const OwnVehicle = ({ common: { value, error, onChange, ...shown }, player }: Own) => {
  const { t } = useTexts();
  if (player === undefined) {
    return <TextField {...shown} value={value} error={error} maxLength={MAX_PLATE} onChange={onChange} />;
  }
  const owned = player.vehicles.map(({ plate: name, label }) => ({ name, label }));
  return (
    <NamedField
      {...shown}
      chosen={owned.find(({ name }) => name === value)?.label ?? value}
      error={error && t('dialog.choose')}
      find={(text) => among(owned, text)}
      onChoose={({ name }) => onChange(name)}
    />
  );
};

/** The grade of a job; a job whose grades are not known takes any number. */
const Grade = ({ common, draft, serverId, rules }: Own) => {
  const { grades = [] } = useEntry(serverId, 'jobs', textNamed(draft, 'job', rules));
  if (grades.length === 0) return <TextField {...common} inputMode="numeric" maxLength={MAX_GRADE} />;
  return <SelectField {...common} options={grades.map(({ grade, label }) => [String(grade), plain(label)] as const)} />;
};

/** Another player, or three numbers. */
const PlaceFields = ({ common, serverId }: Own) => {
  const { value, onChange, 'data-autofocus': isFirst, ...shown } = common;
  const place = readPlace(value);
  const other = place !== undefined && 'player' in place ? place.player : undefined;
  const isStored = place !== undefined && 'x' in place && value.startsWith('{');
  return (
    <>
      <PlayerFilter
        data-autofocus={isFirst}
        target={other}
        name={undefined}
        serverId={serverId}
        onChange={(player) => onChange(player === undefined ? '' : JSON.stringify({ player }))}
      />
      <TextField
        {...shown}
        placeholder="10, 20, 30"
        value={other === undefined ? (isStored ? `${place.x}, ${place.y}, ${place.z}` : value) : ''}
        maxLength={MAX_PLACE}
        disabled={other !== undefined}
        onChange={onChange}
      />
    </>
  );
};

const BuiltIn = ({ field, children, ...fields }: Omit<Own, 'common'>) => {
  const { draft, rules, player, isTouched, isForMany = false, focused, onType } = fields;
  const { t } = useTexts();
  const { name, is, label, forMany = label } = field;
  const isCount = name === 'count';
  const common = {
    label: t(isForMany ? forMany : label),
    value: textOf(draft, field, rules),
    error: useErrorOf(fields)(name),
    'data-autofocus': focused === name || undefined,
    onChange: (text: string) => onType({ [name]: text }),
  } as const;
  const own = { ...fields, field, common };
  switch (is) {
    case 'whole':
      return <NumberField {...common} className="amount" max={isCount ? MAX_COUNT : rules.max} isTouched={isTouched} />;
    case 'account':
      return <AccountField {...common} known={rules.accounts} />;
    case 'thing':
      return <Thing {...own} />;
    case 'grade':
      return <Grade {...own} />;
    case 'owned':
      return <OwnVehicle {...own} />;
    case 'plate':
      // A plate is there once: not for many players, and not for the buyers of a package.
      return player === undefined && common.value === '' ? null : <TextField {...common} maxLength={MAX_PLATE} />;
    case 'message':
      return <MessageField {...common} className="wide" isTouched={isTouched} />;
    case 'place':
      return <PlaceFields {...own} />;
    case 'reason': {
      const word = t(rules.reasonFor.includes(draft.name) ? 'common.reason' : label);
      return (
        <>
          {children}
          <ReasonLine {...common} className="wide" label={word} />
        </>
      );
    }
  }
};

const JsonField = (fields: Fields) => {
  const { t } = useTexts();
  return (
    <AreaField
      label={t('shops.params')}
      description={t('shops.undeclared')}
      placeholder="{ }"
      value={jsonText(fields.draft)}
      maxLength={MAX_JSON}
      spellCheck={false}
      error={useErrorOf(fields)(JSON_FIELD)}
      onChange={(text) => fields.onType({ [JSON_FIELD]: text })}
    />
  );
};

/** The fields of one command: built in, declared by its game server, or else its parameters as JSON. */
export const FormFields = (fields: Fields) => {
  const { draft, serverId, rules, isTouched, hubError, onType } = fields;
  const { t } = useTexts();
  const form = formOf(draft, rules);
  if (form === undefined) return <JsonField {...fields} />;
  const kept = keptParams(draft, form);
  return (
    <>
      <div className="fields params">
        {form.kind === undefined
          ? form.fields.map((field) => {
              const value = textOf(draft, field, rules);
              const read = readField(field, value);
              return (
                <CustomField
                  key={field.name}
                  serverId={serverId}
                  field={field}
                  value={value}
                  fault={isTouched && 'fault' in read ? read.fault : undefined}
                  hubError={hubError?.(field.name)}
                  onChange={(text) => onType({ [field.name]: text })}
                />
              );
            })
          : form.fields.map((field) => <BuiltIn key={field.name} {...fields} field={field} />)}
      </div>
      {Object.keys(kept).length === 0 ? null : (
        <p className="dim small">{t('shops.also', { params: isolated(textOfValue(kept)) })}</p>
      )}
    </>
  );
};
