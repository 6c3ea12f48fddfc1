import type { CommandRow } from '../../db/queries/commands/read.ts';
import type { StoredError } from '../../db/schema/commands.ts';
import type { Store } from '../../db/store.ts';

/*
 * The balance that the hub knew when it lost sight of a payment, so that a person can compare it with the balance of now.
 * It is stored with the reason why the outcome is unknown, so a payment that succeeds needs none of it. Shared by the files
 * that give a command up, that store its result, and that show it.
 */

/** A balance and when the game server reported it (epoch milliseconds). */
type KnownBalance = { account: string; balance: number; at: number };

const NAME = 'knownBalance';

const isMoney = ({ name, target }: CommandRow): boolean => name === 'money' && target !== null;

const lookUp = async (
  { players }: Pick<Store, 'players'>,
  { projectId, serverId, target, params }: CommandRow,
): Promise<KnownBalance | undefined> => {
  const identifier = target ?? '';
  const player = (await players.find({ projectId, serverId, identifier }))?.player;
  const account = String(params['type']);
  if (player?.identifier !== identifier || !Object.hasOwn(player.accounts, account)) return undefined;
  const balance = player.accounts[account];
  return balance === undefined ? undefined : { account, balance, at: player.syncedAt };
};

/** The reason why the outcome of a command is unknown, with the balance that the hub knows now if it is a payment. */
export const withKnownBalance = async (
  store: Pick<Store, 'players'>,
  row: CommandRow,
  error: StoredError,
): Promise<StoredError> => {
  if (!isMoney(row)) return error;
  // The command ends as unknown, whatever else cannot be read now.
  const known = await lookUp(store, row).catch(() => undefined);
  // A game server does not write this field.
  const { [NAME]: _, ...details } = error.details ?? {};
  if (known === undefined && error.details === undefined) return error;
  return { ...error, details: known === undefined ? details : { ...details, [NAME]: known } };
};

/** The error of a row and, apart from it, the balance that was stored with it. */
export const readKnownBalance = (row: CommandRow): { error: StoredError | null; known: KnownBalance | undefined } => {
  const { error, status } = row;
  const known = error?.details?.[NAME] as KnownBalance | undefined;
  const isUnknown = status === 'indeterminate' || status === 'resolved_applied' || status === 'resolved_not_applied';
  if (error === null || known === undefined || !isUnknown || !isMoney(row)) return { error, known: undefined };
  const { details: { [NAME]: _, ...details } = {}, ...rest } = error;
  return { error: Object.keys(details).length === 0 ? rest : { ...rest, details }, known };
};
