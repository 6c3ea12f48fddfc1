import type { Store } from '../../../db/store.ts';
import { newId } from '../../../server/platform/ids.ts';
import type { Fault } from './world.ts';

type Part = { batches?: Partial<Store['batches']>; commands?: Partial<Store['commands']> };
type Mutation = { name: string; faults: readonly Fault[]; promise: RegExp; part: (store: Store) => Part };

const ended = (status: string): boolean => !['waiting', 'accepted', 'dispatched'].includes(status);

/** Rules of batches that are broken on purpose, the fault that shows each, and the promise that breaks. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'the id of a command is not made of its batch and its player',
    faults: ['kill'],
    promise: /a target has two commands/,
    part: ({ commands }) => ({
      commands: { insert: (row, how) => commands.insert({ ...row, id: newId('cmd'), idempotencyKey: null }, how) },
    }),
  },
  {
    name: 'a linked identifier has no key',
    faults: ['kill', 'relink'],
    promise: /a target has two commands/,
    part: ({ commands }) => ({
      commands: { insert: (row, how) => commands.insert({ ...row, idempotencyKey: null }, how) },
    }),
  },
  {
    name: 'a node begins at the first player again',
    faults: ['kill'],
    promise: /for ever/,
    part: ({ batches }) => ({
      batches: {
        whole: async (id) => {
          const found = await batches.whole(id);
          return found && { ...found, written: 0 };
        },
      },
    }),
  },
  {
    name: 'no node takes a batch over',
    faults: ['kill'],
    promise: /for ever/,
    part: () => ({ batches: { forgotten: async () => [], unwritten: async () => [] } }),
  },
  {
    name: 'a step is noted, and its commands are not stored',
    faults: [],
    promise: /a target has no command/,
    part: ({ commands }) => ({
      commands: {
        insert: async (row, how) =>
          row.params['target'] === 'char1:cem' ? { row, isNew: true } : commands.insert(row, how),
      },
    }),
  },
  {
    name: 'a repeated key makes another batch',
    faults: ['request'],
    promise: /a key (made two|has two) batches|total/,
    part: ({ batches }) => ({
      batches: {
        byKey: async () => undefined,
        insert: (row) => batches.insert({ ...row, idempotencyKey: row.id }),
      },
    }),
  },
  {
    name: 'the writer does not see that its batch was taken back',
    faults: ['void'],
    promise: /after it was taken back|for ever/,
    part: ({ batches }) => ({
      batches: {
        get: async (projectId, id) => {
          const found = await batches.get(projectId, id);
          return found && { ...found, endedBy: null };
        },
        end: async (id) => batches.touch(id, 0),
      },
    }),
  },
  {
    name: 'a batch settles while commands are open',
    faults: ['hang up'],
    promise: /settled, and a command is open/,
    part: ({ batches }) => ({
      batches: {
        counts: async (id) =>
          Object.fromEntries(Object.entries(await batches.counts(id)).filter(([status]) => ended(status))),
      },
    }),
  },
];

/** The store with these functions in the place of its own. */
export const mutated =
  (part: Mutation['part']) =>
  (store: Store): Store => {
    const { batches, commands } = part(store);
    return { ...store, batches: { ...store.batches, ...batches }, commands: { ...store.commands, ...commands } };
  };
