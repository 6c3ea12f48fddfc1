import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SEALED = 'sealed:';
const CLEAR = 'clear:';

/** Whether a stored secret can be read without a key. */
export const isInClear = (stored: string): boolean => stored.startsWith(CLEAR);

/** A sealed secret cannot be read: its key is missing or is another one. */
export class SealError extends Error {
  override name = 'SealError';
}

/**
 * Seals secrets that the hub needs in clear, so that a copy of the database does not contain them. Without a key, they
 * are stored in clear. The id of the owner is authenticated: a sealed secret is of no use in another row.
 */
export class Seal {
  readonly #key: Buffer | undefined;

  constructor(secretKey: string | undefined) {
    if (secretKey === undefined) return;
    this.#key = Buffer.from(hkdfSync('sha256', secretKey, '', 'causeway secrets of integrations', 32));
  }

  seal(secret: string, owner: string): string {
    if (this.#key === undefined) return CLEAR + secret;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, iv);
    cipher.setAAD(Buffer.from(owner));
    const body = Buffer.concat([cipher.update(secret), cipher.final()]);
    return SEALED + Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
  }

  /** @throws SealError */
  open(sealed: string, owner: string): string {
    if (isInClear(sealed)) return sealed.slice(CLEAR.length);
    if (this.#key === undefined) throw new SealError('The secret is sealed, and SECRET_KEY is not set.');
    const packed = Buffer.from(sealed.slice(SEALED.length), 'base64url');
    const decipher = createDecipheriv(ALGORITHM, this.#key, packed.subarray(0, IV_BYTES));
    decipher.setAAD(Buffer.from(owner));
    decipher.setAuthTag(packed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(packed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString();
    } catch (error) {
      throw new SealError('The secret was sealed with another SECRET_KEY.', { cause: error });
    }
  }
}
