import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

/**
 * `api_key` for REST, `bridge_token` for game servers, `panel_session` for the cookie of the panel,
 * `setup_link` and `setup_session` for the setup of an empty hub.
 */
export type SecretKind = 'api_key' | 'bridge_token' | 'panel_session' | 'setup_link' | 'setup_session';
const PREFIXES: Record<SecretKind, string> = {
  api_key: 'cw_live_',
  bridge_token: 'cwb_',
  panel_session: 'cwp_',
  setup_link: 'cws_',
  setup_session: 'cwt_',
};

/** The start of every kind of secret, for patterns that find secrets in a text. */
export const SECRET_START = new RegExp(Object.values(PREFIXES).join('|'));
/** Every secret in a text, even a damaged one. */
export const SECRETS = new RegExp(`(?:${SECRET_START.source})[0-9A-Za-z]+`, 'g');

const randomText = (length: number): string => {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 below 256: without it, the first letters would be more frequent.
      if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
};

const checksum = (text: string): string => {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
};

/** A new secret: prefix, 32 base62 characters of randomness (190 bits), 6 of CRC-32. Shown once, never stored. */
export const createSecret = (kind: SecretKind): string => {
  const body = PREFIXES[kind] + randomText(RANDOM_LENGTH);
  return body + checksum(body);
};

/** Whether a text has the form and checksum of such a secret; nothing is looked up. */
export const isWellFormedSecret = (kind: SecretKind, text: string): boolean => {
  const prefix = PREFIXES[kind];
  if (text.length !== prefix.length + RANDOM_LENGTH + CHECKSUM_LENGTH || !text.startsWith(prefix)) return false;
  if (!/^[0-9A-Za-z]+$/.test(text.slice(prefix.length))) return false;
  const split = text.length - CHECKSUM_LENGTH;
  return checksum(text.slice(0, split)) === text.slice(split);
};

/** The hash that is stored instead of a secret. A fast hash is enough: 190 random bits cannot be guessed. */
export const hashSecret = (text: string): string => hash('sha256', text, 'hex');

/** The first characters of a secret, so that people can tell keys apart. */
export const secretPrefix = (text: string): string => text.slice(0, 12);
