export * from './client/bridge.ts';
export * from './custom/commands.ts';
export { readDeclaration, rolesFault } from './custom/roles.ts';
export { type Fault, type ParamsSchema, paramsFault, readParams, readSchema } from './custom/schema.ts';
export { type Journal, type JournalEntry, memoryJournal, type Outcome, type StartedCall } from './journal/journal.ts';
export * from './wire/close-codes.ts';
export {
  decodeBridgeMessage,
  decodeHubMessage,
  encode,
  isNestedDeeperThan,
  ProtocolError,
  type ProtocolErrorCode,
} from './wire/codec.ts';
export * from './wire/commands.ts';
export * from './wire/limits.ts';
export * from './wire/messages.ts';
export { inventoryItem, type Player, player, vehicle } from './wire/player.ts';
