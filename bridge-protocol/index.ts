export * from './client.ts';
export * from './close-codes.ts';
export * from './codec.ts';
export * from './commands.ts';
export * from './journal.ts';
export { memoryJournal } from './journal-memory.ts';
export * from './limits.ts';
export * from './messages.ts';
export { inventoryItem, type Player, player, vehicle } from './player.ts';
