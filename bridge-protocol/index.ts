export * from './close-codes.ts';
export * from './codec.ts';
export * from './commands.ts';
export * from './journal.ts';
export * from './messages.ts';
