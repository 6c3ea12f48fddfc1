import { hash } from 'node:crypto';
import type { NewShopLine, ShopLineRow } from '../../db/queries/shop-lines.ts';
import type { ShopOrderRow } from '../../db/queries/shop-orders.ts';
import type { BoughtPackage, PackageMap } from '../../db/schema/shops.ts';
import { derivedCommandId } from '../platform/ids.ts';
import type { Bought } from './notice.ts';
import { amountOf, pointerPart } from './packages.ts';

/** How long a bought package waits for its player. */
export const KEPT_FOR_MS = 30 * 24 * 60 * 60 * 1000;
/** Commands of one order. */
export const MAX_LINES = 2_000;

/** The packages of an order with the commands that they stand for now. */
export const planOf = (bought: readonly Bought[], packages: PackageMap): BoughtPackage[] => {
  const counts = new Map<string, number>();
  return bought.map(({ package: id, quantity, ...who }) => {
    const from = (counts.get(id) ?? 0) + 1;
    counts.set(id, from + quantity - 1);
    const commands = Object.hasOwn(packages, id) ? (packages[id] ?? null) : null;
    return { package: id, from, quantity, ...who, commands };
  });
};

/** How many lines a plan becomes; a package without a mapping is one line. */
export const lineCount = (plan: readonly BoughtPackage[]): number =>
  plan.reduce((total, { quantity, commands }) => total + (commands === null ? 1 : quantity * commands.length), 0);

type LineKey = Pick<ShopLineRow, 'integrationId' | 'transaction' | 'package' | 'number' | 'step'>;

const lineId = ({ integrationId, transaction, package: id, number, step }: LineKey): string =>
  `lin_${hash('sha256', JSON.stringify([integrationId, transaction, id, number, step]), 'hex').slice(0, 32)}`;

/** The idempotency key of a line's command: the same for ever, so that no package is delivered twice. */
export const keyOf = ({ attempt, ...line }: LineKey & Pick<ShopLineRow, 'attempt'>): string => {
  const { integrationId, transaction, package: id, number, step } = line;
  const again = attempt === 1 ? '' : `/again-${attempt}`;
  // Escaped: the order a/b of c is another one than the order a of b/c.
  return `shop/${integrationId}/${pointerPart(transaction)}/${pointerPart(id)}/${number}.${step}${again}`;
};

/** The id of the command that a line has or would have. */
export const commandIdOf = (line: ShopLineRow): string | undefined =>
  line.name === null ? undefined : derivedCommandId(line.projectId, line.serverId, line.name, keyOf(line));

type OrderKey = Pick<ShopOrderRow, 'integrationId' | 'transaction' | 'projectId' | 'serverId'>;

/** A line in its first state; without a command it is for the staff. */
const lineOf = (order: OrderKey, key: Omit<LineKey, 'integrationId' | 'transaction'>, at: number): NewShopLine => {
  const { integrationId, transaction, projectId, serverId } = order;
  return {
    id: lineId({ integrationId, transaction, ...key }),
    projectId,
    integrationId,
    transaction,
    ...key,
    serverId,
    name: null,
    params: null,
    buyer: null,
    target: null,
    unbound: null,
    state: 'unmatched',
    reason: null,
    detail: null,
    commandId: null,
    oppositeId: null,
    attempt: 1,
    amount: 0,
    dueAt: null,
    expiresAt: at + KEPT_FOR_MS,
    placedAt: null,
    createdAt: at,
    updatedAt: at,
  };
};

/** A line with a command: it is placed, unless its buyer cannot be known. */
const commandLine = (line: NewShopLine, tooLarge: string | undefined): NewShopLine => {
  if (tooLarge === undefined) return { ...line, state: 'pending', dueAt: line.createdAt };
  const detail = `The shop sent the number ${tooLarge} as the id of the buyer. JSON rounds such a number.`;
  return { ...line, reason: 'number_too_large', detail };
};

/** The lines of a paid order, one by one: one for each command of each package. */
export const linesOf = function* (order: ShopOrderRow, at: number): Generator<NewShopLine> {
  for (const { package: id, from, quantity, buyer, tooLarge, commands } of order.plan ?? []) {
    if (commands === null) {
      const line = lineOf(order, { package: id, number: from, step: 0 }, at);
      yield { ...line, buyer, reason: 'unmapped_package', detail: `Bought ${quantity} times.` };
      continue;
    }
    if (commands.length === 0) continue;
    for (let number = from; number < from + quantity; number += 1) {
      for (const [place, { name, params }] of commands.entries()) {
        const line = lineOf(order, { package: id, number, step: place + 1 }, at);
        yield commandLine({ ...line, name, params, buyer, amount: amountOf({ name, params }) }, tooLarge);
      }
    }
  }
};

/** A note that a part of an order was refunded: the staff decides what to take back. */
export const partialRefundOf = (order: OrderKey, detail: string, at: number): NewShopLine => ({
  ...lineOf(order, { package: '', number: 0, step: 0 }, at),
  state: 'owed',
  reason: 'partial_refund',
  detail,
});

const UNKNOWN =
  'The hub does not know the payment of this refund: it came before a restored backup, or never. Look whether the player has what was bought.';

/** A note that an order was refunded that the hub does not know: a restored hub may have given it, and forgotten it. */
export const unknownOrderOf = (order: OrderKey, at: number): NewShopLine => ({
  ...partialRefundOf(order, UNKNOWN, at),
  reason: 'unknown_order',
});
