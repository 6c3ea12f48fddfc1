import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useTexts } from '../i18n.ts';
import { COMMANDS, type MappedName, nextRow, type Row } from './mapping.ts';

/** The packages of a shop and the commands that they stand for. */
export const MappingFields = ({ rows, onChange }: { rows: readonly Row[]; onChange: (rows: Row[]) => void }) => {
  const { t } = useTexts();
  const set = (changed: Row): void => onChange(rows.map((row) => (row.key === changed.key ? changed : row)));
  return (
    <fieldset className="stack">
      <legend>{t('shops.packages')}</legend>
      <p className="dim small">{t('shops.packagesHint')}</p>
      {rows.map((row) => (
        <div key={row.key} className="filters">
          <TextInput
            label={t('shops.package')}
            value={row.package}
            maxLength={64}
            onChange={(event) => set({ ...row, package: event.currentTarget.value })}
          />
          <NativeSelect
            label={t('shops.command')}
            value={row.name}
            data={COMMANDS.map((value) => ({ value, label: t(`shops.command.${value}`) }))}
            onChange={(event) => set({ ...row, name: event.currentTarget.value as MappedName })}
          />
          <TextInput
            label={t(`shops.what.${row.name}`)}
            value={row.what}
            maxLength={128}
            onChange={(event) => set({ ...row, what: event.currentTarget.value })}
          />
          {row.name === 'vehicles' ? null : (
            <TextInput
              label={t(`shops.amount.${row.name}`)}
              value={row.amount}
              maxLength={4096}
              onChange={(event) => set({ ...row, amount: event.currentTarget.value })}
            />
          )}
          <Button variant="default" onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}>
            {t('shops.removeCommand')}
          </Button>
        </div>
      ))}
      <div>
        <Button variant="default" size="xs" onClick={() => onChange([...rows, nextRow(rows)])}>
          {t('shops.addCommand')}
        </Button>
      </div>
    </fieldset>
  );
};
