import { setTimeout as rest } from 'node:timers/promises';
import type { Cleared, NewEvent } from '../../db/queries/events.ts';
import type { Store } from '../../db/store.ts';
import type { Background } from '../platform/background.ts';
import { Jobs } from '../platform/jobs.ts';
import {
  eventsOfBatch,
  eventsOfCommand,
  eventsOfLine,
  eventsOfPlayer,
  eventsOfRun,
  eventsOfSchedule,
  eventsOfSession,
} from './bodies.ts';

/** Rows of one table that become events in one transaction. */
const AT_ONCE = 200;
/** Between two transactions of a project, so that many changes share one. */
const REST_MS = 250;

type Parts = {
  store: Pick<Store, 'events' | 'projects' | 'batches'>;
  background: Pick<Background, 'run'>;
  /** A project has so many new events. */
  told: (projectId: string, events: number) => void;
  /** A server that is away for less is not told to be offline. */
  offlineAfterMs: number;
};
/** Events, and the rows that owed them. */
type Due = { events: NewEvent[]; cleared: Cleared[]; isMore: boolean };

/** Reads what the rows of a project owe. */
const dueOf = async ({ store, offlineAfterMs }: Parts, projectId: string): Promise<Due> => {
  const { events: owed } = store;
  const now = Date.now();
  const due: Due = { events: [], cleared: [], isMore: false };
  const add = (events: readonly NewEvent[], { from, ...cleared }: Omit<Cleared, 'from'> & { from: number | null }) => {
    due.events.push(...events);
    due.cleared.push({ ...cleared, from: from ?? 0 });
  };
  const commands = await owed.owedCommands(projectId, AT_ONCE);
  for (const row of commands) {
    add(eventsOfCommand(row, now), { table: 'commands', key: row.seq, from: row.outbox, to: 0 });
  }
  const batches = await owed.owedBatches(projectId, AT_ONCE);
  for (const row of batches) {
    const events = eventsOfBatch(row, await store.batches.counts(row.id));
    add(events, { table: 'batches', key: row.id, from: row.outbox, to: 0 });
  }
  const runs = await owed.owedRuns(projectId, AT_ONCE);
  for (const { run, schedule } of runs) {
    const { scheduleId: key, plannedAt, outbox: from } = run;
    add(eventsOfRun({ run, schedule }), { table: 'scheduleRuns', key, plannedAt, from, to: 0 });
  }
  const schedules = await owed.owedSchedules(projectId, AT_ONCE);
  for (const row of schedules) {
    add(eventsOfSchedule(row), { table: 'schedules', key: row.id, from: row.outbox, to: (row.outbox ?? 1) - 1 });
  }
  const lines = await owed.owedLines(projectId, AT_ONCE);
  for (const row of lines) {
    add(eventsOfLine(row), { table: 'shopLines', key: row.seq, from: row.outbox, to: (row.outbox ?? 1) - 1 });
  }
  for (const row of await owed.owedSessions(projectId)) {
    const told = eventsOfSession(projectId, row, { now, offlineAfterMs });
    if (told !== undefined) add(told.events, { table: 'sessions', key: row.serverId, from: row.outbox, to: told.to });
  }
  const players = await owed.owedPlayers(projectId, AT_ONCE);
  for (const row of players) {
    add(eventsOfPlayer(projectId, row), { table: 'players', key: row.id, from: row.outbox, to: 0 });
  }
  due.isMore = [commands, batches, runs, schedules, lines, players].some(({ length }) => length === AT_ONCE);
  return due;
};

/**
 * Turns owed rows into events, one project at a time: events and cleared rows are one transaction. A row that was changed
 * since it was read keeps what it owes, and is told again; the unique index of events skips what was told. If another node
 * has told events meanwhile, all rows are read again. So nothing is lost, told twice or told after what came later,
 * wherever a process stops, and if two nodes do it at once.
 */
export class Outbox {
  readonly #parts: Parts;
  readonly #jobs: Jobs;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#jobs = new Jobs('tell events', parts.background, async (projectId) => {
      if (await this.#work(projectId)) await rest(REST_MS);
    });
  }

  /** Rows of a project may owe events. */
  note(projectId: string): void {
    this.#jobs.start(projectId);
  }

  /** Resolves when all that rows of a project owe now is told. @throws DatabaseError */
  run(projectId: string): Promise<void> {
    return this.#jobs.run(projectId);
  }

  /** False: there was nothing to tell. */
  async #work(projectId: string): Promise<boolean> {
    const { store, told } = this.#parts;
    const project = await store.projects.byId(projectId);
    // Its rows are being deleted.
    if (project === undefined) return false;
    let isAny = false;
    let isMore = true;
    while (isMore) {
      const place = (await store.events.last(projectId))?.seq ?? 0;
      const due = await dueOf(this.#parts, projectId);
      if (due.cleared.length === 0) return isAny;
      isAny = true;
      const { cleared } = due;
      const [events, rows] = project.keepEvents
        ? [due.events, cleared]
        : [[], cleared.map((each) => ({ ...each, to: null }))];
      const added = await store.events.tell(projectId, events, rows, place);
      if (added) told(projectId, added);
      isMore = due.isMore || added === undefined;
    }
    return isAny;
  }
}
