import * as z from 'zod';
import type { Buyer } from '../../db/schema/shops.ts';

/** A package of an order, for one buyer. */
export type Bought = {
  package: string;
  quantity: number;
  buyer: Buyer | null;
  /** The buyer's id as it was sent: a number that is rounded on its way, so that it may be another player's. */
  tooLarge?: string;
};
/** A shop's message in the hub's words. */
export type Notice =
  | { is: 'paid'; transaction: string; packages: Bought[]; paid: string | null }
  /** `packages` and `paid` are what is refunded; null: the shop does not say, so it is everything. */
  | {
      is: 'refunded';
      transaction: string;
      packages: Pick<Bought, 'package' | 'quantity'>[] | null;
      paid: string | null;
      /** False: the shop says that a part is refunded. */
      isWhole: boolean;
      isDisputeLost: boolean;
    }
  | { is: 'disputed'; transaction: string; dispute: string }
  /** The shop asks whether this address is one for its webhooks. */
  | { is: 'validation'; id: string }
  | { is: 'ignored' };

/** Units of a package in one order, and packages of one order. */
export const MAX_QUANTITY = 1_000;
export const MAX_PACKAGES = 100;

/** An id of a shop, short enough for a part of an idempotency key. */
export const shopId = (max: number) =>
  z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${max}}$`), `must be 1 to ${max} printable ASCII characters`);
/** A larger number is rounded on its way, so that two ids could become one. Undefined: the id is missing. */
export const idFault =
  (max: number) =>
  ({ input }: { input?: unknown }): string | undefined =>
    input === undefined
      ? undefined
      : `must be 1 to ${max} printable ASCII characters, or a whole number up to ${Number.MAX_SAFE_INTEGER}`;
export const TRANSACTION_LENGTH = 100;
export const PACKAGE_LENGTH = 64;

/** Shops write ids as numbers or as texts. */
export const packageId = z.union([z.int().nonnegative().transform(String), shopId(PACKAGE_LENGTH)], {
  error: idFault(PACKAGE_LENGTH),
});
export const quantity = z.int().min(1).max(MAX_QUANTITY);

const NAME_LENGTH = 128;
/** A text from a shop for people: cut, without NUL and lone surrogates, which PostgreSQL does not take. */
export const shownText = (text: string, most = NAME_LENGTH): string =>
  [...text.toWellFormed().replaceAll('\0', '')].slice(0, most).join('');
