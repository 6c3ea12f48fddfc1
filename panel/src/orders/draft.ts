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
const named = (value: unknown, label = String(value)): Named => ({ name: String(value), label });

/** Whether the player is known to have another job than the one that was set. */
const hasOtherJob = ({ params }: Command, { metadata }: Player): boolean => {
  const isOther = (held: unknown, set: unknown): boolean => held !== undefined && held !== set;
  return isOther(metadata['job'], params['job']) || isOther(metadata['jobGrade'], params['grade']);
};

/** The hub's opposite of a command as a draft. */
const draftOf = (command: Command, player: Player): OrderDraft | undefined => {
  if (command.opposite === undefined) return undefined;
  const { name, params } = command.opposite;
  const metadata = params['metadata'] as Metadata | undefined;
  const action = params['action'] === 'add' ? 'add' : 'remove';
  switch (name) {
    case 'money':
      return { name, action, account: String(params['type']), amount: String(params['amount']) };
    case 'items': {
      const item = String(params['item']);
      const label = player.inventory.find((stack) => stack.name === item)?.label;
      // Items without properties are taken back from stacks without any, if the player may have others of that item.
      const isMixed = action === 'remove' && areMixed(player.inventory, item, Number(command.result?.['after']));
      const chosen = metadata ?? (isMixed ? {} : undefined);
      const more = chosen === undefined ? {} : { metadata: chosen };
      return { name, action, item: named(item, label), count: String(params['count']), ...more };
    }
    case 'vehicles': {
      const plate = String(params['plate']);
      if (params['action'] === 'take') return { name, action: 'take', plate };
      const garage = textOf(params['garage']);
      const more = { ...(garage !== undefined && { garage }), ...(metadata !== undefined && { metadata }) };
      return { name, action: 'give', model: named(params['model']), plate, ...more };
    }
    case 'job':
      // The former job is only right while the player has the one that was set.
      if (hasOtherJob(command, player)) return undefined;
      return { name, job: named(params['job']), grade: Number(params['grade']) };
  }
};

/** Whether a command has an effect that lasts. */
export const isLasting = (name: string): boolean => LASTING.has(name);

/** Whether a command may wait for its player. An undo may not: it belongs to what the player has now. */
export const canWait = ({ name, undoes }: OrderDraft): boolean => undoes === undefined && isLasting(name);

/** Whether the panel offers to undo a command: it took effect, and its effect has an opposite. */
export const isUndoable = ({ opposite: known }: Command): boolean => known !== undefined;

/** The opposite of a command, with what was really moved; undefined: there is none now. */
export const opposite = ({ t }: Texts, command: Command, player: Player): OrderDraft | undefined => {
  const draft = draftOf(command, player);
  const quoted = [...String(command.params['reason'] ?? '')].slice(0, MAX_QUOTED).join('');
  return draft && { ...draft, undoes: command.id, reason: t('action.undoReason', { reason: quoted }) };
};
