import { readAmount } from '../amount.ts';
import type { Player } from '../api.ts';
import { useEntry } from '../commands/catalogue.ts';
import { MAX_COUNT, type Rules, textNamed } from '../commands/form.ts';
import { carriedOf } from '../commands/form-fields.tsx';
import type { Draft, Kind } from '../commands/kinds.ts';
import { ThingName } from '../commands/thing-field.tsx';
import { useTexts } from '../i18n.ts';
import { Foreign, plain } from '../parts/text.tsx';

/** Says what a command will do, with what is typed so far. */
export const OrderSentence = ({
  kind,
  draft,
  rules,
  serverId,
  player,
}: {
  kind: Kind;
  draft: Draft;
  rules: Rules;
  serverId: string;
  player: Player | undefined;
}) => {
  const { rich, has, number, locale } = useTexts();
  const text = (field: string): string => textNamed(draft, field, rules);
  const [item, plate, grade] = [text('item'), text('plate'), text('grade')];
  const count = readAmount(text('count'), { locale, max: MAX_COUNT });
  const moved = typeof count !== 'number' ? 0 : kind === 'giveItem' ? count : -count;
  const held = player === undefined || item === '' ? undefined : carriedOf(player, item);
  const { grades = [] } = useEntry(serverId, 'jobs', text('job'));
  const vehicle = player?.vehicles.find((each) => each.plate === plate);
  const strong = (shown: string | undefined) => <strong>{shown ?? '…'}</strong>;
  const thing = (of: 'items' | 'vehicles' | 'jobs', name: string) => (
    <ThingName serverId={serverId} kind={of} name={name} />
  );
  const key = `dialog.${kind}.says`;
  if (!has(key)) return null;
  return (
    <p className="sentence">
      {rich(key, {
        name: player && <Foreign>{player.name}</Foreign>,
        server: strong(serverId),
        item: thing('items', item),
        count: strong(typeof count === 'number' ? number(count) : undefined),
        before: strong(held === undefined ? undefined : number(held)),
        after: strong(held === undefined ? undefined : number(Math.max(0, held + moved))),
        model: thing('vehicles', text('model')),
        vehicle: strong(plate === '' ? undefined : `${plain(vehicle?.label ?? plate)} (${plain(plate)})`),
        job: thing('jobs', text('job')),
        grade: strong(grades.find((each) => String(each.grade) === grade)?.label ?? grade),
      })}
    </p>
  );
};
