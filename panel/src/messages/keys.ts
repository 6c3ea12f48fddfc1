import type { first } from './en/first.ts';
import type { others } from './en/others.ts';

/** Every text of the panel. `{name}` is filled in; keys that end in `.one` and `.other` are chosen by a number. */
export type Messages = typeof first & typeof others;
export type MessageKey = keyof Messages;
