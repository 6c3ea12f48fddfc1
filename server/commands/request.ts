import { isDeepStrictEqual } from 'node:util';
import { COMMANDS } from '../../bridge-protocol/index.ts';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { Namesake } from '../../db/queries/players/find.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import { isSettled } from '../../db/schema/command-status.ts';
import type { Deliver } from '../../db/schema/commands.ts';
import type { Store } from '../../db/store.ts';
import { addressOf, type Reached } from '../cluster/router.ts';
import { HubError, invalidField } from '../platform/errors.ts';
import { derivedCommandId, fingerprintOf, newId } from '../platform/ids.ts';
import { entryOf, isCatalogued, readLastingWish, targetOf, type Wish } from './catalogue.ts';
import { oppositeOf } from './opposite.ts';
import { executedOf } from './run.ts';

/** Targets that are remembered, for all servers together. The latest report is remembered of as many servers. */
const MAX_KNOWN = 10_000;
/** An unknown target is looked up again after this, in case that a message of another node was lost. */
const UNKNOWN_FOR_MS = 60_000;

/** A command for a player of a server. */
export type TargetedWish = Wish & {
  project: ProjectRow;
  serverId: string;
  /** The own identifier of the target player, if the caller sent a linked one. */
  player?: string;
  /** Whether the caller's key may read players. */
  canSeePlayers: boolean;
  /** Given: the command may wait. */
  deliver?: CommandRow['deliver'] | undefined;
};

type Address = { readonly projectId: string; readonly serverId: string };
/** A target that is the player's own identifier, or one that fits no player, until then or until the next report. */
type AsSent = 'own' | { until: number; report: number };

const keyOf = (address: string, target: string): string => `${address} ${target}`;

const ambiguous = (target: string, players: Namesake[], { canSeePlayers }: TargetedWish): HubError =>
  new HubError(
    'player_ambiguous',
    `${target} belongs to ${players.length} players of this server. Send the own identifier of one of them.`,
    canSeePlayers ? { players: players.map(({ identifier, name, online }) => ({ identifier, name, online })) } : {},
  );

/**
 * Finds the player that the target of a command means. A player's own identifier is sent as it is. So is a target that
 * fits no player of the server: then the bridge decides.
 */
export const createTargets = ({ store }: { store: Pick<Store, 'players'> }) => {
  // These targets are sent unchanged. A look-up costs as much as the rest of a kick.
  const asSent = new Map<string, AsSent>();
  /** The number of the latest report of each server: what was unknown before it may be a player now. */
  const reports = new Map<string, number>();
  let lastReport = 0;
  /** Stands for the reports that were forgotten. */
  let forgotten = 0;
  const reportOf = (address: string): number => reports.get(address) ?? forgotten;
  const remember = (key: string, known: AsSent): void => {
    if (asSent.size >= MAX_KNOWN) asSent.clear();
    asSent.set(key, known);
  };

  const isAsSent = (key: string, address: string): boolean => {
    const known = asSent.get(key);
    if (known === undefined || known === 'own') return known === 'own';
    return known.until > performance.now() && known.report === reportOf(address);
  };

  /** @throws HubError player_ambiguous */
  const resolve = async <W extends TargetedWish>(request: W): Promise<W> => {
    const { project, serverId } = request;
    const target = targetOf(request);
    if (target === undefined) return request;
    const address = addressOf(project.id, serverId);
    const key = keyOf(address, target);
    // A command that waits is not corrected by a bridge that does not know the player.
    if (request.deliver === undefined && isAsSent(key, address)) return request;
    // Before the look-up, which does not see players that are reported meanwhile.
    const seen = reportOf(address);
    const meant = await store.players.meant(project.id, serverId, target);
    if (meant === 'own') {
      remember(key, 'own');
      return request;
    }
    const [player, ...others] = meant;
    if (others.length > 0) throw ambiguous(target, meant, request);
    if (player !== undefined) return { ...request, player: player.identifier };
    remember(key, { until: performance.now() + UNKNOWN_FOR_MS, report: seen });
    return request;
  };

  return {
    resolve,
    /** Forgets a target that the game server does not know: the next request looks it up again. */
    forget: ({ projectId, serverId, target }: Pick<CommandRow, 'projectId' | 'serverId' | 'target'>): void => {
      if (target !== null) asSent.delete(keyOf(addressOf(projectId, serverId), target));
    },
    /** Players of a server were reported and stored: its unknown targets are looked up again. */
    heard: ({ projectId, serverId }: Address): void => {
      if (reports.size >= MAX_KNOWN) {
        reports.clear();
        forgotten = lastReport;
      }
      lastReport += 1;
      reports.set(addressOf(projectId, serverId), lastReport);
    },
  };
};
export type Targets = ReturnType<typeof createTargets>;

/** A caller's request for a command. */
export type SubmitRequest = TargetedWish & {
  actor: { keyId: string; name: string };
  requestId: string;
  idempotencyKey: string | undefined;
  /** The caller's word for `remove`: shown in answers, and not told to the bridge. */
  sentAction?: 'deduct';
  /** Where it may wait for its server or its player; undefined: it is sent now or not at all. */
  deliver?: Deliver | undefined;
  /** Epoch milliseconds after which it must not be sent any more. */
  expiresAt: number;
  /** How long the caller waits for the outcome; 0: not at all. */
  waitMs: number;
};

/** The columns of a command that has not been sent yet. */
export const UNSENT = {
  attempts: 0,
  epoch: null,
  sessionId: null,
  voidRequested: false,
  result: null,
  error: null,
  dispatchedAt: null,
  settledAt: null,
  resolution: null,
  journalId: null,
  crashes: null,
  restoredAt: null,
  batchId: null,
} as const satisfies Partial<CommandRow>;

/** The row of a new command. Its parameters are as they were sent; its target is the player. */
export const draftOf = (
  request: SubmitRequest,
  session: Pick<Reached, 'id' | 'epoch'> | undefined,
  at: number,
): CommandRow => {
  const { project, serverId, name, params, idempotencyKey: key, deliver } = request;
  return {
    ...UNSENT,
    id: key === undefined ? newId('cmd') : derivedCommandId(project.id, serverId, name, key),
    projectId: project.id,
    serverId,
    name,
    class: isCatalogued(request) ? COMMANDS[request.name].class : 'exactly-once',
    target: request.player ?? targetOf(request) ?? null,
    params: request.sentAction === undefined ? params : { ...params, action: request.sentAction },
    fingerprint: fingerprintOf(serverId, name, params),
    status: deliver === undefined ? 'accepted' : 'waiting',
    idempotencyKey: key ?? null,
    actor: request.actor,
    requestId: request.requestId,
    epoch: session?.epoch ?? null,
    sessionId: session?.id ?? null,
    createdAt: at,
    expiresAt: request.expiresAt,
    roles: isCatalogued(request) ? null : (request.roles ?? null),
    deliver: deliver ?? null,
    deliverUntil: deliver === undefined ? null : request.expiresAt,
    round: deliver === undefined ? null : 0,
  };
};

/** The key of the nth try to undo a command. Panel and hub send the same key, so a command is undone once. */
export const undoKey = (id: string, nth: number): string => `undo/${id}${nth === 1 ? '' : `/${nth}`}`;

const UNDO = /^undo\/(cmd_[a-z0-9]{10,60})(?:\/([2-9]|[1-9]\d{1,3}))?$/;

const refused = (): HubError =>
  invalidField(
    '/Idempotency-Key',
    'undo/<command id> is only for the opposite of this command, while it is not undone',
  );

/** Parameters without those of no effect. An empty list of properties chooses among the same items. */
const effectOf = (params: object, defaults: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(params).filter(
      ([name, value]) =>
        !['target', 'reason'].includes(name) &&
        value !== undefined &&
        value !== defaults[name] &&
        !(name === 'metadata' && isDeepStrictEqual(value, {})),
    ),
  );

/** Whether a request is the opposite of a command, for its player. */
const isOpposite = (request: SubmitRequest, command: CommandRow): boolean => {
  const opposite = oppositeOf(command);
  if (opposite === undefined || !isCatalogued(request)) return false;
  if (request.name !== opposite.name || request.serverId !== command.serverId) return false;
  if (command.target === null || ![request.player, targetOf(request)].includes(command.target)) return false;
  // Read as a request would be: games write plates with blanks around them.
  const read = readLastingWish(opposite.name, { ...opposite.params, target: command.target });
  const { defaults } = entryOf(request.name);
  return 'wish' in read && isDeepStrictEqual(effectOf(request.params, defaults), effectOf(read.wish.params, defaults));
};

/** Keys of the form `undo/<command id>`: they stand for the one time that a command is undone. */
export const createUndo = ({ store }: { store: Pick<Store, 'commands'> }) => {
  const tryOf = ({ id, projectId, serverId, name }: CommandRow, nth: number): Promise<CommandRow | undefined> =>
    store.commands.get(projectId, derivedCommandId(projectId, serverId, name, undoKey(id, nth)));

  return {
    /** The nth command that was to undo a command; undefined: there is none. */
    tryOf,
    /** The key belongs to what the request does. @throws HubError invalid_request */
    assertKey: async (request: SubmitRequest): Promise<void> => {
      const { project, idempotencyKey: key = '' } = request;
      const [, id = '', again = '1'] = UNDO.exec(key) ?? [];
      const command = id === '' ? undefined : await store.commands.get(project.id, id);
      if (command === undefined || !isOpposite(request, command)) throw refused();
      const before = again === '1' ? undefined : await tryOf(command, Number(again) - 1);
      const isFree = before !== undefined && isSettled(before.status) && executedOf(before.status) === 'no';
      if (again !== '1' && !isFree) throw refused();
    },
  };
};
export type Undo = ReturnType<typeof createUndo>;
