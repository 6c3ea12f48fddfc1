import { first as deFirst } from '../../panel/src/messages/de/first.ts';
import { others as deOthers } from '../../panel/src/messages/de/others.ts';
import { first } from '../../panel/src/messages/en/first.ts';
import { others } from '../../panel/src/messages/en/others.ts';
import { first as ptFirst } from '../../panel/src/messages/pt/first.ts';
import { others as ptOthers } from '../../panel/src/messages/pt/others.ts';

/** All texts of the panel, by language. */
export const en = { ...first, ...others };
export const de = { ...deFirst, ...deOthers };
export const pt = { ...ptFirst, ...ptOthers };
