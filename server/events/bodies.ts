import type { BatchCounts, BatchRow } from '../../db/queries/commands/batches.ts';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import type { EventRow, NewEvent } from '../../db/queries/events.ts';
import type { WebhookRow } from '../../db/queries/webhooks.ts';
import { isSettled, OWED } from '../../db/schema/commands.ts';
import { isForStaff } from '../../db/schema/shops.ts';
import type { Store } from '../../db/store.ts';
import { isExactlyOnce } from '../commands/catalogue.ts';
import { undoneBatch } from '../commands/undo.ts';
import { batchView, viewOf } from '../commands/view.ts';
import { newId } from '../platform/ids.ts';
import { isoTime, optionalTime } from '../platform/time.ts';

/*
 * The events that rows owe. A state that has passed is left out; `command.indeterminate` never is. The revision is made of
 * the row, so two nodes that tell one state make one event.
 */

/** The most bytes of a body. Receivers of webhooks need not take more. */
export const MAX_BODY_BYTES = 20_000;

type Told = Pick<NewEvent, 'projectId' | 'serverId' | 'type' | 'subject' | 'revision' | 'at'> & {
  data: Record<string, unknown>;
};

/** Fields of data that a body leaves out if it is too long: the first ones, then all. */
const LONG = [
  ['params', 'result'],
  ['params', 'result', 'opposite', 'roles', 'error', 'resolution', 'detail', 'counts'],
];

/** An event with its body: `{id, type, timestamp, serverId, revision, data}`. */
const eventOf = ({ data, ...told }: Told): NewEvent => {
  const id = newId('evt');
  const { type, serverId, revision, at } = told;
  const textOf = (shown: Record<string, unknown>): string =>
    JSON.stringify({ id, type, timestamp: isoTime(at), serverId, revision, data: shown });
  let body = textOf(data);
  for (const names of LONG) {
    if (Buffer.byteLength(body) <= MAX_BODY_BYTES) break;
    const left = Object.entries(data).filter(([name]) => !names.includes(name));
    body = textOf({ ...Object.fromEntries(left), omitted: true });
  }
  return { id, ...told, body };
};

/** The data of an event, and what the stream sends beside it. */
export const readBody = ({ body }: Pick<EventRow, 'body'>) =>
  // Only `eventOf` writes bodies.
  JSON.parse(body) as { timestamp: string; serverId: string; revision: number; data: Record<string, unknown> };

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;

export const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

/** The effect of a command, in few words, such as `+500 bank`. */
const goodsOf = (name: string | undefined, params: Record<string, unknown>): string | undefined => {
  const { amount, action, type, item, count, model, plate, job } = params;
  // `deduct` is a caller's word for `remove`.
  const sign = action === 'remove' || action === 'deduct' ? '-' : '+';
  if (name === 'money') return amount === undefined ? undefined : `${sign}${String(amount)} ${textOf(type) ?? ''}`;
  if (name === 'items') return item === undefined ? undefined : `${sign}${String(count ?? 1)} ${textOf(item) ?? ''}`;
  return textOf(model) ?? textOf(plate) ?? textOf(job);
};

/** Names of players by server and identifier; undefined: it is not known, or must not be shown. */
export type Names = (serverId: string, identifier: string) => string | undefined;

/**
 * What an event is about: the kind of its command, if it is one or a batch, and in few words, for people: who, what, why.
 */
export const aboutOf = (
  { type, serverId, body }: Pick<EventRow, 'type' | 'serverId' | 'body'>,
  names: Names,
): { command: string | null; says: string[] } => {
  const data = fieldsOf(readBody({ body }).data);
  const command = /^(?:command|batch)\./.test(type) ? textOf(data['name']) : undefined;
  const player = textOf(data['target']) ?? textOf(data['identifier']);
  // Names of players come from `names` alone.
  const thing = /^(?:server|webhook)\./.test(type) ? textOf(data['name']) : undefined;
  const who = player === undefined ? thing : (names(serverId, player) ?? player);
  const params = fieldsOf(data['params']);
  const of = type === 'batch.settled' ? `× ${textOf(data['total']) ?? ''}` : undefined;
  const says = [who, data['label'], goodsOf(command, params), of, data['product'], params['reason']];
  const why = [data['reason'], data['detail'], data['message']];
  const texts = [...says, ...why].map(textOf).filter((text) => text !== undefined && text !== '');
  return { command: command ?? null, says: texts as string[] };
};

/** The states of one round of a command, in their order. */
const revisionOf = ({ round }: CommandRow, state: 'waiting' | 'indeterminate' | 'ended'): number =>
  3 * (round ?? 0) + { waiting: 1, indeterminate: 2, ended: 3 }[state];

export const eventsOfCommand = (row: CommandRow, now: number): NewEvent[] => {
  const { projectId, serverId, id, status, outbox, batchId } = row;
  const owed = outbox ?? 0;
  const common = { projectId, serverId, subject: id };
  const endedAt = row.resolution?.at ?? row.settledAt ?? now;
  const list: Told[] = [];
  if ((owed & OWED.indeterminate) !== 0 && isExactlyOnce(row.name)) {
    // Its end may be known by now; this is the state before.
    const then: CommandRow = { ...row, status: 'indeterminate', result: null, resolution: null };
    const revision = revisionOf(row, 'indeterminate');
    const at = status === 'indeterminate' ? endedAt : now;
    list.push({ ...common, type: 'command.indeterminate', revision, at, data: viewOf(then) });
  }
  if (batchId !== null) return list.map(eventOf);
  if (status === 'indeterminate' && !isExactlyOnce(row.name)) {
    const revision = revisionOf(row, 'indeterminate');
    list.push({ ...common, type: 'command.settled', revision, at: endedAt, data: viewOf(row) });
  } else if (status !== 'indeterminate' && isSettled(status)) {
    const revision = revisionOf(row, 'ended');
    list.push({ ...common, type: 'command.settled', revision, at: endedAt, data: viewOf(row) });
  } else if (status === 'waiting') {
    const at = row.round === 0 ? row.createdAt : now;
    list.push({ ...common, type: 'command.waiting', revision: revisionOf(row, 'waiting'), at, data: viewOf(row) });
  }
  return list.map(eventOf);
};

export const eventsOfBatch = (row: BatchRow, counts: BatchCounts): NewEvent[] => {
  const { projectId, serverId, id: subject, status, settledAt } = row;
  if (status !== 'settled') return [];
  const data = batchView(row, counts, { undoes: undoneBatch(row) });
  return [
    eventOf({ projectId, serverId, type: 'batch.settled', subject, revision: 1, at: settledAt ?? row.touchedAt, data }),
  ];
};

type OwedRun = Awaited<ReturnType<Store['events']['owedRuns']>>[number];
const MISSED = 'No hub looked for planned runs at its time, or the restart was announced too late for it.';

export const eventsOfRun = ({ run, schedule }: OwedRun): NewEvent[] => {
  const { projectId, scheduleId, plannedAt, lastPlannedAt, status, madeId, error, touchedAt: at } = run;
  if (schedule === null || status === 'started') return [];
  const { serverId, label } = schedule;
  const until = lastPlannedAt === null ? {} : { lastPlannedAt: isoTime(lastPlannedAt) };
  const about = { id: scheduleId, label, plannedAt: isoTime(plannedAt), ...until, status };
  const common = { projectId, serverId, subject: `${scheduleId}/${plannedAt}`, revision: 1, at };
  if (status === 'done') return [eventOf({ ...common, type: 'schedule.run', data: { ...about, madeId } })];
  const why = error ?? { code: status, message: MISSED };
  return [eventOf({ ...common, type: 'schedule.refused', data: { ...about, ...why } })];
};

type OwedSchedule = Awaited<ReturnType<Store['events']['owedSchedules']>>[number];

/** The counter of a row whose states can come again: half of its `outbox`. */
const countOf = (outbox: number | null): number => Math.floor((outbox ?? 0) / 2);

export const eventsOfSchedule = (row: OwedSchedule): NewEvent[] => {
  const { projectId, serverId, id, label, paused, pausedBy, updatedAt: at, outbox } = row;
  if (!paused || pausedBy === null) return [];
  const data = { id, label, reason: pausedBy };
  const revision = countOf(outbox);
  return [eventOf({ projectId, serverId, type: 'schedule.paused', subject: id, revision, at, data })];
};

type OwedLine = Awaited<ReturnType<Store['events']['owedLines']>>[number];

export const eventsOfLine = (row: OwedLine): NewEvent[] => {
  const { projectId, serverId, id, integrationId, transaction, product, state, reason, detail } = row;
  const isDelivered = state === 'delivered';
  if (!isDelivered && !isForStaff(row)) return [];
  const bought = { integrationId, id, transaction, package: row.package, product, state };
  const common = { projectId, serverId, subject: id, revision: countOf(row.outbox), at: row.updatedAt };
  if (!isDelivered) {
    return [eventOf({ ...common, type: 'shop.line.unmatched', data: { ...bought, reason, detail } })];
  }
  const { name, target, commandId } = row;
  return [eventOf({ ...common, type: 'shop.line.delivered', data: { ...bought, name, target, commandId } })];
};

type OwedSession = Awaited<ReturnType<Store['events']['owedSessions']>>[number];
/** Bits of a session's `outbox`. */
const TOLD_ONLINE = 2;

/**
 * What a session that came or went owes, and its next `outbox`; undefined: it is not known yet, because the bridge may come
 * back. The epoch grows with each session, so it orders what is told of a server.
 */
export const eventsOfSession = (
  projectId: string,
  row: OwedSession,
  { now, offlineAfterMs }: { now: number; offlineAfterMs: number },
): { events: NewEvent[]; to: number } | undefined => {
  const { serverId, name, epoch, connected, connectedAt, disconnectedAt, outbox } = row;
  const isTold = ((outbox ?? 0) & TOLD_ONLINE) !== 0;
  if (connected === isTold || name === null) return { events: [], to: isTold && connected ? TOLD_ONLINE : 0 };
  // By how much the clock was set back does not matter.
  const awayMs = Math.abs(now - (disconnectedAt ?? 0));
  if (!connected && awayMs < offlineAfterMs) return undefined;
  const at = connected ? connectedAt : (disconnectedAt ?? now);
  const event = eventOf({
    projectId,
    serverId,
    type: connected ? 'server.online' : 'server.offline',
    subject: serverId,
    revision: 2 * epoch + (connected ? 0 : 1),
    at,
    data: { id: serverId, name, since: isoTime(at) },
  });
  return { events: [event], to: connected ? TOLD_ONLINE : 0 };
};

/** A webhook that the hub has switched off. */
export const eventOfWebhook = (
  { id, projectId, name, failingSince }: Pick<WebhookRow, 'id' | 'projectId' | 'name' | 'failingSince'>,
  reason: string,
  at: number,
): NewEvent => {
  const data = { id, name, reason, failingSince: optionalTime(failingSince) };
  return eventOf({ projectId, serverId: '', type: 'webhook.off', subject: id, revision: at, at, data });
};

type OwedPlayer = Awaited<ReturnType<Store['events']['owedPlayers']>>[number];

export const eventsOfPlayer = (projectId: string, row: OwedPlayer): NewEvent[] => {
  const { serverId, identifier, name, online, firstSeenAt: at } = row;
  const data = { identifier, name, online, firstSeenAt: isoTime(at) };
  const subject = `${serverId}/${identifier}`;
  return [eventOf({ projectId, serverId, type: 'player.first_seen', subject, revision: 1, at, data })];
};
