import { useState } from 'react';
import { type Rules, readDraft } from '../commands/form.ts';
import { describeBought } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { Button, TextField } from '../parts/controls.tsx';
import { Foreign, plain } from '../parts/text.tsx';
import { CommandFields, useCommandNames } from './command-fields.tsx';
import { type HubErrors, placeOf } from './hub-errors.tsx';
import { isFaulty, isTwice, newRow, nextKey, type PackageDraft } from './mapping.ts';

const MAX_ID = 64;

type Mapping = {
  packages: readonly PackageDraft[];
  serverId: string;
  rules: Rules;
  isTouched: boolean;
  errors: HubErrors;
  onChange: (packages: PackageDraft[]) => void;
};

/** The commands of a package in short. */
const Summary = ({ one: { rows }, rules }: { one: PackageDraft; rules: Rules }) => {
  const texts = useTexts();
  if (rows.length === 0) return <span className="dim">{texts.t('shops.noCommands')}</span>;
  const told = rows.map((row) => {
    const read = readDraft(row, rules);
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
  const { packages, rules, serverId, isTouched, errors, onChange, onRemove } = mapping;
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
                serverId={serverId}
                rules={rules}
                isTouched={isTouched}
                errors={errors}
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
            <strong>
              <Foreign>{id}</Foreign>
            </strong>{' '}
            <Summary one={one} rules={rules} />
          </span>
          <Button isSmall aria-label={t('shops.editNamed', { what: plain(id) })} onClick={() => setOpened(true)}>
            {t('common.change')}
          </Button>
        </div>
      )}
    </li>
  );
};

/** The packages of a shop and the commands that they stand for. */
export const MappingFields = ({ packages, onChange, ...mapping }: Mapping) => {
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
            onChange={(changed) => onChange(packages.map((each) => (each.key === one.key ? changed : each)))}
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
