import type { CommandHandlers, Outcome } from '../../bridge-protocol/index.ts';

const done = (data: Record<string, unknown>): Outcome => ({ status: 'done', data });
const confirmed = (): Outcome => done({ confirmedBy: 'server' });

/** Handlers of a game that has everything and keeps nothing: each answer fits its command. */
export const staffHandlers: Omit<Required<CommandHandlers>, 'kick' | 'money'> = {
  items: ({ item, count, action }) =>
    done({ item, before: action === 'add' ? 0 : count, after: action === 'add' ? count : 0 }),
  vehicles: ({ plate = 'NEW 1', model = 'adder', garage = null }) => done({ plate, model, garage }),
  job: ({ job, grade }) => done({ before: { job: 'none', grade: 0 }, after: { job, grade } }),
  announce: ({ targets }) => done({ confirmedBy: 'server', players: targets?.length ?? 0 }),
  message: confirmed,
  revive: confirmed,
  heal: confirmed,
  freeze: ({ frozen }) => done({ confirmedBy: 'server', frozen }),
  teleport: () => done({ confirmedBy: 'server', position: { x: 0, y: 0, z: 0 } }),
};
