import * as z from 'zod';
import { IDENTIFIER_PATTERN } from '../../bridge-protocol/index.ts';

const isValid = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
const INVALID = 'must be valid text without NUL';

/** Text that people write: no NUL, no lone surrogate, counted in characters. */
export const plainText = (max: number) =>
  z
    .string()
    .min(1)
    .refine((text) => text.length <= max * 2 && [...text].length <= max, `must have at most ${max} characters`)
    .refine(isValid, INVALID)
    .meta({ maxLength: max });

/** Text that goes to a bridge as it is, counted as the protocol does: in UTF-16 code units. */
export const wireText = (max: number) =>
  z
    .string()
    .min(1)
    .refine((text) => text.length <= max, `must have at most ${max} characters, where an emoji counts as two`)
    .refine(isValid, INVALID)
    .meta({ maxLength: max });

/** The identifier of a player. */
export const identifierText = z
  .string()
  .regex(IDENTIFIER_PATTERN, 'must be 1 to 128 of A-Z a-z 0-9 : _ . @ -')
  .meta({ example: 'char1:5f3a9c' });
