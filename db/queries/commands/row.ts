import type { Tables } from '../../schema/tables.ts';

/** A row of the journal, without its place there (only lists need that) and its size (only bounds do). */
export type CommandRow = Omit<Tables['commands']['$inferSelect'], 'seq' | 'bytes'>;

/** How many bytes the parameters of a command take. */
export const bytesOf = (params: CommandRow['params']): number => Buffer.byteLength(JSON.stringify(params));
