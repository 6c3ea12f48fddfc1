import * as z from 'zod';
import {
  idFault,
  MAX_PACKAGES,
  type Notice,
  packageId,
  quantity,
  shopId,
  shownText,
  TRANSACTION_LENGTH,
} from './notice.ts';

/** The body that any shop can send. */
export const orderSchema = z
  // Other fields are left out: an order that was paid must not be lost because its shop also sends a price.
  .object({
    id: z
      .union([z.int().nonnegative().transform(String), shopId(TRANSACTION_LENGTH)], {
        error: idFault(TRANSACTION_LENGTH),
      })
      .meta({ description: 'Of the order, the same in every repeat.', example: 'order-1001' }),
    type: z.enum(['paid', 'refunded']),
    buyer: z.string().min(1).max(128).nullable().default(null).meta({ example: 'fivem:1234567' }),
    packages: z
      .array(z.object({ id: packageId, quantity: quantity.default(1) }))
      .min(1)
      .max(MAX_PACKAGES)
      .optional()
      .meta({ description: 'Needed with paid. With refunded: what is refunded; absent: everything.' }),
  })
  .refine(({ type, packages }) => type === 'refunded' || packages !== undefined, {
    path: ['packages'],
    message: 'paid needs packages',
  })
  .meta({ id: 'ShopOrder' });

/** Reads an order whose signature fits. */
export const readOrder = (body: unknown): { type: string; notice: Notice } | { fault: z.ZodError } => {
  const order = orderSchema.safeParse(body);
  if (!order.success) return { fault: order.error };
  const { id: transaction, type, buyer: value, packages = [] } = order.data;
  if (type === 'refunded') {
    const refunded = order.data.packages?.map((each) => ({ package: each.id, quantity: each.quantity })) ?? null;
    const notice: Notice = {
      is: 'refunded',
      transaction,
      packages: refunded,
      paid: null,
      isWhole: true,
      isDisputeLost: false,
    };
    return { type, notice };
  }
  const buyer = value === null ? null : { value: shownText(value), name: shownText(value) };
  const bought = packages.map((each) => ({ package: each.id, quantity: each.quantity, buyer }));
  return { type, notice: { is: 'paid', transaction, packages: bought, paid: null } };
};
