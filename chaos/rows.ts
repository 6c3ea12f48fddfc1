/** A command as the hub's database has it. */
export type Row = {
  seq: number;
  id: string;
  name: string;
  status: string;
  params: string;
  result: string | null;
  error: string | null;
  /** The idempotency key. */
  key: string | null;
};

/** The columns of a row in an embedded database. */
export const ROW_COLUMNS = 'seq, id, name, status, params, result, error, idempotency_key AS key';

/** Outcomes that promise that the command had no effect. */
export const NEVER: ReadonlySet<string> = new Set(['failed', 'rejected', 'voided', 'expired']);

/** The label of the call that asked for the command. A shop's command has it in its key, others in their reason. */
export const labelOf = ({ key, params }: Row): string => {
  const [kind, , transaction = ''] = key?.split('/') ?? [];
  return kind === 'shop' ? transaction : ((JSON.parse(params) as { reason?: string }).reason ?? '');
};

/** The row's id, and the label of its call. */
export const nameOf = (row: Row): string => `${row.id} (${labelOf(row)})`;
