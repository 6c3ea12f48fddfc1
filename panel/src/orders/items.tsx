import { useState } from 'react';
import { readAmount } from '../amount.ts';
import type { Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { NumberField } from '../parts/common-fields.tsx';
import { plain } from '../parts/text.tsx';
import type { Named } from './draft.ts';
import { among, NamedField, useCatalogue } from './named-field.tsx';
import { type OrderProps, OrderShell } from './shell.tsx';

/** Items in one command. */
const MAX_COUNT = 1_000_000;

const countOf = (inventory: Player['inventory'], item: string): number =>
  inventory.filter(({ name }) => name === item).reduce((sum, { count }) => sum + count, 0);

const carriedBy = ({ inventory }: Player): Named[] => [
  ...new Map(inventory.map(({ name, label }) => [name, { name, label }])).values(),
];

/** Gives or takes items. */
export const ItemOrder = (props: OrderProps<'items'>) => {
  const { player, draft } = props;
  const { t, number, locale } = useTexts();
  const [item, setItem] = useState(draft.item);
  const [count, setCount] = useState(draft.count ?? '1');
  const { action } = draft;
  const value = readAmount(count, { locale, max: MAX_COUNT });
  const before = item === undefined ? undefined : countOf(player.inventory, item.name);
  const moved = typeof value === 'number' ? value : 0;
  const counted = (of: (before: number) => number): string => (before === undefined ? '…' : number(of(before)));
  const after = (held: number): number => Math.max(0, action === 'add' ? held + moved : held - moved);
  const useOffered = (text: string | undefined): readonly Named[] => {
    const listed = useCatalogue(player.serverId, 'items', action === 'add' ? text : undefined);
    return action === 'add' ? listed : among(carriedBy(player), text);
  };
  return (
    <OrderShell
      {...props}
      kind={action === 'add' ? 'give' : 'takeItem'}
      isTyped={item !== draft.item || count !== (draft.count ?? '1')}
      blanks={{
        item: <strong key="item">{item === undefined ? '…' : plain(item.label)}</strong>,
        count: <strong key="count">{typeof value === 'number' ? number(value) : '…'}</strong>,
        before: <strong key="before">{counted((held) => held)}</strong>,
        after: <strong key="after">{counted(after)}</strong>,
      }}
      body={(common) =>
        item === undefined || typeof value !== 'number'
          ? undefined
          : { ...common, action, item: item.name, count: value }
      }
    >
      {(isTouched) => (
        <div className="row top">
          <NamedField
            label={t('dialog.item')}
            chosen={item}
            isMissing={isTouched && item === undefined}
            find={useOffered}
            hint={({ name }) => ` · ${t('dialog.item.has', { count: number(countOf(player.inventory, name)) })}`}
            onChoose={setItem}
          />
          <NumberField
            label={t('dialog.count')}
            value={count}
            max={MAX_COUNT}
            isTouched={isTouched}
            onChange={setCount}
          />
        </div>
      )}
    </OrderShell>
  );
};
