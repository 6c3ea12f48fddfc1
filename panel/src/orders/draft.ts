import type { Command, Player } from '../api.ts';
import type { Texts } from '../i18n.ts';
import { areMixed } from './stacks.ts';

/** A thing of the game as people see it. */
export type Named = { name: string; label: string };

type Action = 'add' | 'remove';
type Metadata = Record<string, unknown>;

/** A command that a dialog proposes. `undoes`: the command whose opposite it is; then only the reason can change. */
export type OrderDraft = { reason?: string; undoes?: string } & (
  | { name: 'kick' }
  | { name: 'message' }
  | { name: 'revive' }
  | { name: 'heal' }
  | { name: 'teleport' }
  | { name: 'freeze'; frozen: boolean }
  | { name: 'money'; action: Action; account?: string; amount?: string }
  | { name: 'items'; action: Action; item?: Named; count?: string; metadata?: Metadata }
  | { name: 'vehicles'; action: 'give'; model?: Named; plate?: string; garage?: string; metadata?: Metadata }
  | { name: 'vehicles'; action: 'take' | 'store'; plate?: string }
  | { name: 'job'; job?: Named; grade?: number }
);

/** The dialogs, by the names of their texts. */
export type OrderKind =
  | 'kick'
  | 'add'
  | 'remove'
  | 'give'
  | 'takeItem'
  | 'giveVehicle'
  | 'takeVehicle'
  | 'storeVehicle'
  | 'job'
  | 'message'
  | 'revive'
  | 'heal'
  | 'freeze'
  | 'unfreeze'
  | 'teleport';

/** Of the reason that is undone, so that there is room for more. */
const MAX_QUOTED = 300;
const LASTING: ReadonlySet<string> = new Set(['money', 'items', 'vehicles', 'job']);

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
/** How much was really moved. */
const movedBy = (result: Command['result']): number => Math.abs(Number(result?.['after']) - Number(result?.['before']));
const opposed = (action: unknown): Action => (action === 'add' ? 'remove' : 'add');

const oppositeOfVehicle = ({ params, result }: Command): OrderDraft | undefined => {
  const plate = textOf(result?.['plate']);
  const model = textOf(result?.['model']);
  if (plate === undefined || model === undefined) return undefined;
  if (params['action'] === 'give') return { name: 'vehicles', action: 'take', plate };
  const metadata = result?.['metadata'] as Metadata | undefined;
  // Without its properties, another vehicle would come back.
  if (params['action'] !== 'take' || metadata === undefined) return undefined;
  const garage = textOf(result?.['garage']);
  return {
    name: 'vehicles',
    action: 'give',
    model: { name: model, label: model },
    plate,
    ...(garage !== undefined && { garage }),
    metadata,
  };
};

/** The former job, if the player still has the one that was set. */
const oppositeOfJob = ({ params, result }: Command, { metadata }: Player): OrderDraft | undefined => {
  const before = result?.['before'] as { job?: unknown; grade?: unknown } | undefined;
  const job = textOf(before?.job);
  const isOther = (held: unknown, set: unknown): boolean => held !== undefined && held !== set;
  if (isOther(metadata['job'], params['job']) || isOther(metadata['jobGrade'], params['grade'])) return undefined;
  if (job === undefined) return undefined;
  return { name: 'job', job: { name: job, label: job }, grade: Number(before?.grade ?? 0) };
};

/** Items without properties are taken back from stacks without any, if the player may have others of that item. */
const oppositeOfItems = ({ params, result }: Command, player: Player): OrderDraft | undefined => {
  const item = String(params['item']);
  const moved = movedBy(result);
  if (!Number.isSafeInteger(moved)) return undefined;
  const action = opposed(params['action']);
  const given = params['metadata'] as Metadata | undefined;
  const isMixed = action === 'remove' && areMixed(player.inventory, item, Number(result?.['after']));
  const metadata = given ?? (isMixed ? {} : undefined);
  return {
    name: 'items',
    action,
    item: { name: item, label: player.inventory.find((stack) => stack.name === item)?.label ?? item },
    count: String(moved),
    ...(metadata !== undefined && { metadata }),
  };
};

const oppositeOf = (command: Command, player: Player): OrderDraft | undefined => {
  const { name, params, result } = command;
  switch (name) {
    case 'money': {
      const moved = movedBy(result);
      const account = String(result?.['account'] ?? params['type']);
      return Number.isSafeInteger(moved)
        ? { name, action: opposed(params['action']), account, amount: String(moved) }
        : undefined;
    }
    case 'items':
      return oppositeOfItems(command, player);
    case 'vehicles':
      return oppositeOfVehicle(command);
    case 'job':
      return oppositeOfJob(command, player);
    default:
      return undefined;
  }
};

/** Whether a command has an effect that lasts. */
export const isLasting = (name: string): boolean => LASTING.has(name);

/** Whether a command may wait for its player. An undo may not: it belongs to what the player has now. */
export const canWait = ({ name, undoes }: OrderDraft): boolean => undoes === undefined && isLasting(name);

/** Whether the panel offers to undo a command: it took effect, and its effect has an opposite. */
export const isUndoable = ({ name, status, params }: Command): boolean =>
  status === 'succeeded' && isLasting(name) && params['action'] !== 'store';

/** The opposite of a command, with what was really moved; undefined: there is none now. */
export const opposite = ({ t }: Texts, command: Command, player: Player): OrderDraft | undefined => {
  const draft = isUndoable(command) ? oppositeOf(command, player) : undefined;
  const quoted = [...String(command.params['reason'] ?? '')].slice(0, MAX_QUOTED).join('');
  return draft && { ...draft, undoes: command.id, reason: t('action.undoReason', { reason: quoted }) };
};
