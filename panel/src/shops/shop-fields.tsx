import { useState } from 'react';
import { HubProblem, type Integration } from '../api.ts';
import { useRules } from '../commands/catalogue.ts';
import { formOf, type Rules, readDraft } from '../commands/form.ts';
import { FormFields } from '../commands/form-fields.tsx';
import { CUSTOM, isCustomName, kindOf } from '../commands/kinds.ts';
import { describeBought, describeName } from '../commands.tsx';
import { type Texts, useTexts } from '../i18n.ts';
import { NumberField, ServerField } from '../parts/common-fields.tsx';
import { Button, Note, SelectField, TextField } from '../parts/controls.tsx';
import { Copy } from '../parts/copy.tsx';
import { Failed, type Lost } from '../parts/state.tsx';
import { Foreign, plain } from '../parts/text.tsx';
import { useMay, useMaySend } from '../session.ts';
import {
  BUILT_IN,
  isFaulty,
  isGiven,
  isTwice,
  newRow,
  nextKey,
  type PackageDraft,
  type Row,
  readLimit,
  rulesOf,
  type ShopDraft,
} from './shop.ts';

/** The errors of a form, as the hub names them, by their places. */
type HubErrors = ReadonlyMap<string, string>;

const SETTINGS = ['/name', '/serverId', '/identifierKind', '/maxAmount', '/maxDaily', '/secret'];
const PACKAGES = '/packages/';

const placeOf = (id: string): string => PACKAGES + id.trim().replaceAll('~', '~0').replaceAll('/', '~1');

const inWords = ({ t }: Texts, error: unknown): [string, string][] =>
  error instanceof HubProblem
    ? (error.problem.errors ?? []).map(({ pointer, detail }) => [pointer, t('code.other', { detail: plain(detail) })])
    : [];

export const useHubErrors = (error: unknown): HubErrors => new Map(inWords(useTexts(), error));

/** Says that a request failed: why, or only that the fields say it. */
export const FailedForm = ({ error, lost }: { error: unknown; lost?: Lost }) => {
  const { t } = useTexts();
  const places = [...useHubErrors(error).keys()].map((pointer) => pointer.replace(/^\/change/, ''));
  const hasField = (pointer: string): boolean => SETTINGS.includes(pointer) || pointer.startsWith(PACKAGES);
  if (places.length === 0 || !places.every(hasField)) return <Failed error={error} lost={lost} />;
  return (
    <Note ink="bad" role="alert">
      {t('shops.fieldErrors')}
    </Note>
  );
};

/** Errors under a place, other than those of the named fields right below it. */
const otherErrors = (errors: HubErrors, place: string, fields: readonly string[]): string[] => {
  const shown = new Set(fields.map((field) => `${place}/${field}`));
  return [...errors].flatMap(([pointer, text]) => {
    const isHere = pointer === place || pointer.startsWith(`${place}/`);
    return isHere && !shown.has(pointer) ? [text] : [];
  });
};

/** Characters of a secret, as the hub wants them. */
export const SHORTEST_SECRET = 16;
const LONGEST_SECRET = 256;
const MADE_UP_BYTES = 24;

const madeUp = (): string => {
  const bytes = [...crypto.getRandomValues(new Uint8Array(MADE_UP_BYTES))];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
};

/** A secret that the hub and a shop share. Tebex makes its own; for another shop, the panel can make one up. */
export const SecretField = ({
  label,
  kind,
  value,
  isTouched,
  error,
  onChange,
}: {
  label: string;
  kind: Integration['kind'];
  value: string;
  isTouched: boolean;
  error: string | undefined;
  onChange: (secret: string) => void;
}) => {
  const { t } = useTexts();
  const isShort = value.trim().length < SHORTEST_SECRET;
  return (
    <div className="stack">
      <TextField
        type="password"
        label={label}
        description={t(`shops.secretHint.${kind}`)}
        value={value}
        maxLength={LONGEST_SECRET}
        autoComplete="new-password"
        error={isTouched && isShort ? t('shops.secretShort') : error}
        onChange={onChange}
      />
      {kind === 'tebex' ? null : (
        <div className="row">
          <Button isSmall onClick={() => onChange(madeUp())}>
            {t('shops.secretMake')}
          </Button>
          {isShort ? null : <Copy text={value.trim()} label={t('shops.secretCopy')} />}
        </div>
      )}
    </div>
  );
};

/** The commands that the key may map: of the game, declared by the game server, and one whose name is typed. */
const useCommandNames = (customs: Rules['customs']): string[] => {
  const may = useMay();
  const builtIn = BUILT_IN.filter(useMaySend());
  const declared = [...customs.keys()].map((name) => CUSTOM + name);
  return may('commands:custom') ? [...builtIn, ...declared, CUSTOM] : builtIn;
};

const nameIn = (texts: Texts, name: string): string =>
  name === CUSTOM ? texts.t('shops.otherCommand') : describeName(texts, name);

/** A command that takes something is called so. */
const nameOf = (texts: Texts, row: Row): string => {
  const kind = kindOf(row);
  return kind === undefined || isGiven(kind) ? nameIn(texts, row.name) : texts.t(`action.${kind}`);
};

/** Properties that all parts of the form have. */
type Shared = { serverId: string; rules: Rules; isTouched: boolean; errors: HubErrors };

/** One command of a package. `place`: where it stands in the request. */
const CommandFields = ({
  row,
  place,
  serverId,
  rules,
  isTouched,
  errors,
  onChange,
  onRemove,
}: Shared & {
  row: Row;
  place: string;
  onChange: (row: Row) => void;
  onRemove: () => void;
}) => {
  const { t, texts } = useTexts();
  const names = useCommandNames(rules.customs);
  const form = formOf(row, rules);
  const isTypedName = form === undefined && isCustomName(row.name);
  const selected = isTypedName ? CUSTOM : row.name;
  const read = readDraft(row, rules);
  const isNameMissing = isTouched && 'faults' in read && read.faults['name'] === 'missing';
  const fields = form === undefined ? [] : form.fields.map((field) => `params/${field.name}`);
  return (
    <li className="part stack">
      <div className="row between top tight">
        <div className="row top">
          <SelectField
            label={t('shops.command')}
            value={selected}
            options={[...new Set([...names, selected])].map(
              (value) => [value, value === row.name ? nameOf(texts, row) : nameIn(texts, value)] as const,
            )}
            onChange={(value) => onChange(newRow(row.key, value))}
          />
          {isTypedName ? (
            <TextField
              label={t('shops.commandName')}
              value={row.name.slice(CUSTOM.length)}
              maxLength={64}
              error={isNameMissing ? t('custom.field.missing') : undefined}
              onChange={(text) => onChange({ ...row, name: CUSTOM + text.trim() })}
            />
          ) : null}
        </div>
        <Button isSmall aria-label={t('shops.removeNamed', { what: nameOf(texts, row) })} onClick={onRemove}>
          {t('shops.remove')}
        </Button>
      </div>
      <FormFields
        draft={row}
        serverId={serverId}
        rules={rules}
        isTouched={isTouched}
        hubError={(field) => errors.get(`${place}/params/${field}`)}
        onType={(typed) => onChange({ ...row, typed: { ...row.typed, ...typed } })}
      />
      {otherErrors(errors, place, fields).map((text) => (
        <p key={text} className="change small" role="alert">
          {text}
        </p>
      ))}
    </li>
  );
};

const MAX_ID = 64;

type Mapping = Shared & { packages: readonly PackageDraft[]; onChange: (packages: PackageDraft[]) => void };

const Summary = ({ one, rules }: { one: PackageDraft; rules: Rules }) => {
  const texts = useTexts();
  const { rows } = one;
  if (rows.length === 0) return <span className="dim">{texts.t('shops.noCommands')}</span>;
  const told = rows.map((row) => {
    const read = readDraft(row, rulesOf(one, rules));
    return 'command' in read ? describeBought(texts, read.command) : '…';
  });
  return <span className="foreign">{told.join(' · ')}</span>;
};

const PackageFields = ({
  one,
  ...mapping
}: Omit<Mapping, 'onChange'> & {
  one: PackageDraft;
  onChange: (one: PackageDraft) => void;
  onRemove: () => void;
}) => {
  const { t } = useTexts();
  const { packages, serverId, isTouched, errors, onChange, onRemove } = mapping;
  const rules = rulesOf(one, mapping.rules);
  const [isOpened, setOpened] = useState(one.id === '');
  const [first] = useCommandNames(rules.customs);
  const { id, rows } = one;
  const place = placeOf(id);
  const hasError = [...errors.keys()].some((pointer) => `${pointer}/`.startsWith(`${place}/`));
  const isOpen = isOpened || hasError || (isTouched && isFaulty(packages, one, rules));
  const fault = id.trim() === '' ? t('custom.field.missing') : isTwice(packages, one) ? t('shops.twice') : undefined;
  return (
    <li className="card stack" data-package={id}>
      {isOpen ? (
        <>
          <div className="row between top tight">
            <TextField
              label={t('shops.package')}
              value={id}
              maxLength={MAX_ID}
              error={isTouched && fault !== undefined ? fault : errors.get(place)}
              onChange={(text) => onChange({ ...one, id: text })}
            />
            <Button isSmall aria-label={t('shops.removeNamed', { what: plain(id) })} onClick={onRemove}>
              {t('shops.remove')}
            </Button>
          </div>
          {rows.length === 0 ? <p className="dim small">{t('shops.noCommands')}</p> : null}
          <ul className="plain">
            {rows.map((row, index) => (
              <CommandFields
                key={row.key}
                row={row}
                place={`${place}/${index}`}
                {...{ serverId, rules, isTouched, errors }}
                onChange={(changed) =>
                  onChange({ ...one, rows: rows.map((each) => (each.key === row.key ? changed : each)) })
                }
                onRemove={() => onChange({ ...one, rows: rows.filter(({ key }) => key !== row.key) })}
              />
            ))}
          </ul>
          <div>
            <Button
              isSmall
              disabled={first === undefined}
              onClick={() => onChange({ ...one, rows: [...rows, newRow(nextKey(rows), first ?? '')] })}
            >
              {t('shops.addCommand')}
            </Button>
          </div>
        </>
      ) : (
        <div className="row between tight">
          <span>
            <Foreign isStrong>{id}</Foreign> <Summary one={one} rules={rules} />
          </span>
          <Button isSmall aria-label={t('shops.editNamed', { what: plain(id) })} onClick={() => setOpened(true)}>
            {t('common.change')}
          </Button>
        </div>
      )}
    </li>
  );
};

const MappingFields = ({ packages, onChange, ...mapping }: Mapping) => {
  const { t } = useTexts();
  const [first] = useCommandNames(mapping.rules.customs);
  const add = (): void => {
    const rows = first === undefined ? [] : [newRow(1, first)];
    onChange([...packages, { key: nextKey(packages), id: '', rows }]);
  };
  return (
    <section className="stack">
      <h2>{t('shops.packages')}</h2>
      <p className="dim small">{t('shops.packagesHint')}</p>
      <ul className="plain">
        {packages.map((one) => (
          <PackageFields
            key={one.key}
            {...mapping}
            one={one}
            packages={packages}
            onChange={(changed) =>
              onChange(packages.map((each) => (each.key === one.key ? { ...changed, isStored: false } : each)))
            }
            onRemove={() => onChange(packages.filter(({ key }) => key !== one.key))}
          />
        ))}
      </ul>
      <div>
        <Button isSmall onClick={add}>
          {t('shops.addPackage')}
        </Button>
      </div>
    </section>
  );
};

/** Kinds of identifiers that shops send. */
const IDENTIFIERS = ['fivem', 'steam', 'license', 'discord', 'xbl', 'live'];

/** The rules of the form of a shop: those of its game server, and the shop's own limit. */
export const useShopRules = ({ serverId, maxAmount }: ShopDraft): Rules => {
  const rules = useRules(serverId);
  return { ...rules, max: Math.min(rules.max, readLimit(maxAmount, rules.locale) ?? rules.max) };
};

export const ShopFields = ({
  draft,
  rules,
  isTouched,
  errors,
  onChange,
}: Omit<Shared, 'serverId'> & { draft: ShopDraft; onChange: (change: Partial<ShopDraft>) => void }) => {
  const { t } = useTexts();
  const { name, serverId, identifierKind, packages } = draft;
  const kinds = [...new Set([...IDENTIFIERS, identifierKind])].filter((kind) => kind !== '');
  const limit = (field: 'maxAmount' | 'maxDaily', label: string) => (
    <NumberField
      label={label}
      value={draft[field]}
      max={Number.MAX_SAFE_INTEGER}
      isTouched={isTouched}
      isOptional
      error={errors.get(`/${field}`)}
      onChange={(text) => onChange({ [field]: text })}
    />
  );
  return (
    <>
      <div className="fields">
        <TextField
          label={t('common.name')}
          value={name}
          maxLength={128}
          error={isTouched && name.trim() === '' ? t('custom.field.missing') : errors.get('/name')}
          onChange={(text) => onChange({ name: text })}
        />
        <ServerField
          value={serverId}
          error={errors.get('/serverId')}
          onChange={(chosen) => onChange({ serverId: chosen })}
        />
        <SelectField
          label={t('shops.identifierKind')}
          value={identifierKind}
          error={errors.get('/identifierKind')}
          options={[['', t('shops.anyKind')], ...kinds.map((kind) => [kind, kind] as const)]}
          onChange={(value) => onChange({ identifierKind: value })}
        />
        {limit('maxAmount', t('shops.maxAmount'))}
        {limit('maxDaily', t('shops.maxDaily'))}
      </div>
      <MappingFields
        packages={packages}
        {...{ serverId, rules, isTouched, errors }}
        onChange={(changed) => onChange({ packages: changed })}
      />
    </>
  );
};
