import type { components } from '../api-types.ts';

type Command = components['schemas']['Command'];

/** A thing of the game as people see it. */
export type Named = { name: string; label: string };

type Action = 'add' | 'remove';

/** A command that a dialog proposes. */
export type OrderDraft =
  | { name: 'kick' }
  | { name: 'message'; message?: string }
  | { name: 'revive' }
  | { name: 'heal' }
  | { name: 'teleport'; to?: { player: string } | { x: number; y: number; z: number } }
  | { name: 'freeze'; frozen: boolean }
  | { name: 'money'; action: Action; account?: string; amount?: string }
  | { name: 'items'; action: Action; item?: Named; count?: string }
  | { name: 'vehicles'; action: 'give'; model?: Named; plate?: string }
  | { name: 'vehicles'; action: 'take' | 'store'; plate?: string }
  | { name: 'job'; job?: Named; grade?: number };

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

const LASTING: ReadonlySet<string> = new Set(['money', 'items', 'vehicles', 'job']);

/** Whether a command has an effect that lasts. */
export const isLasting = (name: string): boolean => LASTING.has(name);

/** Whether the panel offers to undo a command: its effect has an opposite, and nobody has undone it. */
export const isUndoable = ({ opposite, undoneBy }: Command): boolean =>
  opposite !== undefined && (undoneBy === undefined || undoneBy.executed === 'no');
