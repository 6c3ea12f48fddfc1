import * as z from 'zod';
import { digitsOf, isLargeNumber, type LargeNumber } from '../platform/fields.ts';
import { packageId, shopId } from './integrations.ts';
import {
  type Bought,
  MAX_PACKAGES,
  type Notice,
  productOf,
  quantity,
  shownText,
  TRANSACTION_LENGTH,
} from './orders.ts';

const largeNumber = z.custom<LargeNumber>(isLargeNumber);
const username = z
  .looseObject({
    id: z.union([z.string(), z.number(), largeNumber]).nullish(),
    username: z.string().nullish(),
  })
  .nullish();
const price = z
  .looseObject({
    amount: z.union([z.string(), z.number(), largeNumber.transform(digitsOf)]),
    currency: z.string().nullish(),
  })
  .nullish();

const paymentSchema = z.looseObject({
  transaction_id: shopId(TRANSACTION_LENGTH),
  status: z.looseObject({ description: z.string().nullish() }).nullish(),
  price_paid: price,
  customer: z.looseObject({ username }).nullish(),
  products: z
    .array(z.looseObject({ id: packageId, quantity, username, name: z.unknown().optional() }))
    .max(MAX_PACKAGES),
});
type Payment = z.infer<typeof paymentSchema>;

const TYPE_LENGTH = 100;
const SUM_LENGTH = 64;
const NUMBER_LENGTH = 64;

const webhookSchema = z.looseObject({
  id: z.string().max(100),
  type: z.string().max(TYPE_LENGTH),
  subject: z.unknown(),
});

/** The id of the account counts; its name is for people, unless there is no id. */
const buyerOf = (given: z.infer<typeof username>): Pick<Bought, 'buyer' | 'tooLarge'> => {
  if (isLargeNumber(given?.id)) return { buyer: null, tooLarge: shownText(digitsOf(given.id), NUMBER_LENGTH) };
  const id = given?.id == null ? '' : String(given.id);
  const name = given?.username ?? '';
  const value = id === '' ? name : id;
  return { buyer: value === '' ? null : { value: shownText(value), name: shownText(name === '' ? value : name) } };
};

const boughtIn = ({ products, customer }: Payment): Bought[] =>
  products.map((product) => ({
    package: product.id,
    quantity: product.quantity,
    ...productOf(product.name),
    ...buyerOf(product.username ?? customer?.username),
  }));

const sumOf = ({ price_paid: paid }: Payment): string | null =>
  paid == null ? null : shownText(`${paid.amount} ${paid.currency ?? ''}`.trim(), SUM_LENGTH);

/** Tebex names a payment that is only refunded in part by its status. */
const isWhole = ({ status }: Payment): boolean => !/part/i.test(status?.description ?? '');

const DISPUTE = /^payment\.dispute\.(opened|won|lost|closed)$/;

const noticeOf = (type: string, payment: Payment): Notice => {
  const { transaction_id: transaction } = payment;
  if (type === 'payment.completed') {
    return { is: 'paid', transaction, packages: boughtIn(payment), paid: sumOf(payment) };
  }
  const dispute = DISPUTE.exec(type)?.[1];
  if (dispute !== undefined && dispute !== 'lost') return { is: 'disputed', transaction, dispute };
  // A lost dispute takes the whole payment back.
  if (dispute === 'lost') {
    return { is: 'refunded', transaction, packages: null, paid: null, isWhole: true, isDisputeLost: true };
  }
  return {
    is: 'refunded',
    transaction,
    packages: boughtIn(payment).map((each) => ({ package: each.package, quantity: each.quantity })),
    paid: sumOf(payment),
    isWhole: isWhole(payment),
    isDisputeLost: false,
  };
};

const isOfPayment = (type: string): boolean =>
  type === 'payment.completed' || type === 'payment.refunded' || DISPUTE.test(type);

/** Reads a webhook of Tebex whose signature fits. */
export const readTebex = (body: unknown): { type: string; notice: Notice } | { fault: z.ZodError } => {
  const webhook = webhookSchema.safeParse(body);
  if (!webhook.success) return { fault: webhook.error };
  const { id, subject } = webhook.data;
  const type = shownText(webhook.data.type, TYPE_LENGTH);
  if (type === 'validation.webhook') return { type, notice: { is: 'validation', id } };
  if (!isOfPayment(type)) return { type, notice: { is: 'ignored' } };
  const payment = paymentSchema.safeParse(subject);
  if (payment.success) return { type, notice: noticeOf(type, payment.data) };
  // Pointers begin at the body.
  const issues = payment.error.issues.map((issue) => ({ ...issue, path: ['subject', ...issue.path] }));
  return { fault: new z.ZodError(issues) };
};
