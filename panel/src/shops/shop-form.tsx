import { Button, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, dataOf, type Integration } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Failed } from '../parts/state.tsx';
import { plain } from '../parts/text.tsx';
import { UnsentForm } from '../parts/unsent.tsx';
import { useServers } from '../queries.ts';
import { mappingOf, type Row } from './mapping.ts';
import { MappingFields } from './mapping-fields.tsx';

const KINDS = ['tebex', 'orders'] as const;
/** Kinds of identifiers that shops send. */
const IDENTIFIERS = ['fivem', 'steam', 'license', 'discord', 'xbl', 'live'];
const SHORTEST_SECRET = 16;
const EMPTY = { kind: 'tebex' as Integration['kind'], name: '', secret: '', serverId: '', identifierKind: '' };

/** Connects a shop. */
export const ShopForm = ({ onMade }: { onMade: (made: Integration) => void }) => {
  const { t } = useTexts();
  const { data: servers = [] } = useServers();
  const [typed, setTyped] = useState(EMPTY);
  const [rows, setRows] = useState<Row[]>([]);
  const serverId = typed.serverId === '' ? (servers[0]?.serverId ?? '') : typed.serverId;
  const packages = mappingOf(rows);
  const make = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/api/v2/integrations', {
          body: {
            kind: typed.kind,
            name: typed.name.trim(),
            secret: typed.secret.trim(),
            serverId,
            packages: packages ?? {},
            identifierKind: typed.identifierKind === '' ? null : typed.identifierKind,
          },
        }),
      ),
    onSuccess: (made) => {
      setTyped(EMPTY);
      setRows([]);
      onMade(made);
    },
  });
  const isWhole = typed.name.trim() !== '' && typed.secret.trim().length >= SHORTEST_SECRET && serverId !== '';
  const isReady = isWhole && packages !== undefined && !make.isPending;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady) make.mutate();
  };
  return (
    <form onSubmit={submit} className="card stack">
      <UnsentForm isDirty={typed.name !== '' || typed.secret !== '' || rows.length > 0} />
      <h2>{t('shops.add')}</h2>
      {make.error === null ? null : <Failed error={make.error} />}
      <div className="filters">
        <NativeSelect
          label={t('shops.kind')}
          value={typed.kind}
          data={KINDS.map((value) => ({ value, label: t(`shops.kind.${value}`) }))}
          onChange={(event) => setTyped({ ...typed, kind: event.currentTarget.value as Integration['kind'] })}
        />
        <TextInput
          label={t('common.name')}
          value={typed.name}
          maxLength={128}
          onChange={(event) => setTyped({ ...typed, name: event.currentTarget.value })}
        />
        <NativeSelect
          label={t('common.server')}
          value={serverId}
          data={servers.map((each) => ({ value: each.serverId, label: plain(each.name) }))}
          onChange={(event) => setTyped({ ...typed, serverId: event.currentTarget.value })}
        />
        <NativeSelect
          label={t('shops.identifierKind')}
          value={typed.identifierKind}
          data={[{ value: '', label: t('shops.anyKind') }, ...IDENTIFIERS]}
          onChange={(event) => setTyped({ ...typed, identifierKind: event.currentTarget.value })}
        />
      </div>
      <PasswordInput
        label={t('shops.secret')}
        description={t('shops.secretHint')}
        value={typed.secret}
        maxLength={256}
        autoComplete="off"
        onChange={(event) => setTyped({ ...typed, secret: event.currentTarget.value })}
      />
      <MappingFields rows={rows} onChange={setRows} />
      <div>
        <Button type="submit" disabled={!isReady}>
          {t('shops.add')}
        </Button>
      </div>
    </form>
  );
};
