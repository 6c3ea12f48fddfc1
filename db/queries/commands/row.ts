import type { Tables } from '../../schema/tables.ts';

/** A row of the journal, without its place there: only lists need that. */
export type CommandRow = Omit<Tables['commands']['$inferSelect'], 'seq'>;
