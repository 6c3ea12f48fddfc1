import { isCustomName, nameOfCustom, playerParamOf } from '../../bridge-protocol/index.ts';
import { bytesOf, type CommandRow } from '../../db/queries/commands/read.ts';
import type { Inserted } from '../../db/queries/commands/transitions.ts';
import type { Lane } from '../../db/queries/commands/waiting.ts';
import type { InTurn } from '../../db/turns.ts';
import type { Address, Session } from '../cluster/router.ts';
import { HubError, invalidField } from '../platform/errors.ts';
import { assertCapable, type CommandRequest, isStillExpected, targetOf, type Wish } from './catalogue.ts';
import type { Reach } from './elsewhere.ts';
import type { Core } from './run.ts';
import { draftOf, takenBack } from './submit.ts';

/*
 * Commands that wait for their game server or their player: how they are stored, and when they leave.
 *
 * The rows are the only list of them. `accept` and `batches.ts` store them; a node that holds a bridge releases them
 * into the queue of its server, and `run.ts` tells when a round is over. A release is one update that guards itself, so a
 * command leaves once, in its turn, whatever two nodes or two causes attempt at the same time. Memory has only what is
 * to be tried next, and may lose it: a scan of the server's rows finds it again.
 */

const wishOf = ({ name, params, target, roles }: CommandRow): Wish =>
  // The row was made of a checked wish.
  ({ name, params, ...(roles !== null && { roles }), ...(target !== null && { player: target }) }) as Wish;

/** A refusal of the hub in the words of the protocol, in which outcomes are stored. */
const storedRefusal = ({ code, message, extras }: HubError): NonNullable<CommandRow['error']> => {
  const [fault] = extras.errors ?? [];
  if (fault !== undefined) return { code: 'invalid_params', message, details: { ...fault } };
  return { code: code === 'journal_required' ? 'journal_unavailable' : 'unsupported', message };
};

/**
 * The command as the game server declares it now, if it was not known when it was accepted: another parameter than
 * `target` may be the player. Undefined: it stays as it is.
 */
const declaredNow = ({ custom }: Session, row: CommandRow): Pick<CommandRow, 'params' | 'roles'> | undefined => {
  if (row.roles !== null || row.target === null || !isCustomName(row.name)) return undefined;
  const { params: schema, roles } = custom?.get(nameOfCustom(row.name)) ?? {};
  const player = playerParamOf(roles);
  if (roles === undefined || Object.hasOwn(schema?.properties ?? {}, 'target')) return undefined;
  const { target: _, ...rest } = row.params;
  return Object.hasOwn(rest, player) ? undefined : { params: { ...rest, [player]: row.target }, roles };
};

/** A batch that was accepted before its custom command was known names the player in each command: nothing else may. */
const faultOfBatch = ({ custom }: Session, { batchId, roles, name }: CommandRow): HubError | undefined => {
  const declared =
    batchId === null || roles !== null || !isCustomName(name) ? undefined : custom?.get(nameOfCustom(name));
  if (declared === undefined) return undefined;
  const player = playerParamOf(declared.roles);
  if (declared.params.properties?.[player] === undefined) {
    return invalidField('/name', 'must be a command with a player: this one has no such parameter');
  }
  return player === 'target' ? undefined : invalidField(`/params/${player}`, 'must be absent: targets has the players');
};

/** The most commands that wait for one player, and for one server. A project has a bound of its own. */
const MAX_WAITING = { player: 100, server: 10_000 };
/** The largest size of the parameters of all waiting commands of a project, in bytes. */
const MAX_WAITING_BYTES = 256 * 1024 * 1024;

export const waitingFull = (waiting: HubError['extras']['waiting'] & object, detail: string): HubError =>
  new HubError('waiting_full', detail, { waiting, retryAfterS: 60 });

/** The project has no room for parameters of this size; undefined: it has. */
export const fullOfBytes = (waiting: number, added: number): HubError | undefined =>
  waiting + added <= MAX_WAITING_BYTES
    ? undefined
    : waitingFull(
        { of: 'bytes', most: MAX_WAITING_BYTES },
        'The parameters of all waiting commands of the project may take 256 MiB, and these do not fit.',
      );

/** The time after its begin in which a round may be sent. */
const ROUND_MS = 30_000;
/** Lanes that are found by one query. */
const PAGE = 64;
/** Lanes that are remembered to be tried: more of them are found by a scan. */
const MOST_ASKED = 4 * PAGE;

const keyOf = ({ target, deliver }: Lane): string => `${deliver} ${target ?? ''}`;
/** The lane of what waits for no player. A scan finds lanes by their target. */
const UNTARGETED: Lane = { target: null, deliver: 'when_connected' };

/** The next work for one session of a bridge. It is forgotten when there is none. */
type Work = {
  /** Lanes whose first command may be able to leave, in order. */
  readonly asked: Map<string, Lane>;
  /** Lanes whose first command is about to leave. */
  readonly trying: Set<string>;
  /** A scan of the server is under way, after this lane; undefined: after none. */
  scan: { last: Lane | undefined; isReading: boolean; isAskedAgain: boolean } | undefined;
};

/**
 * Stores commands that wait, and lets them leave when their server is connected and, with `when_online`, when their player
 * plays. Each time is a round with an id of its own at the bridge, because a bridge that has refused an id never carries it
 * out. A new round begins only after a final answer that the last one had no effect.
 *
 * A report or an outcome asks for one lane: the commands of one player, of which the oldest is tried. All lanes of a server
 * are looked at after a welcome, after a report of all players, and every five seconds.
 */
export class Waiting {
  readonly #core: Core;
  readonly #reach: Reach;
  readonly #inTurn: InTurn;
  readonly #works = new Map<Session, Work>();

  /** `inTurn`: requests of one project are counted and stored one after another, so that none slips past a bound. */
  constructor(core: Core, { reach, inTurn }: { reach: Reach; inTurn: InTurn }) {
    this.#core = core;
    this.#reach = reach;
    this.#inTurn = inTurn;
  }

  /** Stores a command. `isLeaving`: its server and its player are here. @throws HubError nothing was stored */
  async accept(request: CommandRequest): Promise<Inserted & { isLeaving: boolean }> {
    const { store, live, run } = this.#core;
    await this.#reach.assertServer(request);
    const draft = await this.#draftFor(request);
    const { row, isNew } = await this.#inTurn(draft.projectId, async () => {
      const full = await this.#fullOf(request, draft);
      if ((await request.isTakenBack?.()) === true) return live.insert(takenBack(draft));
      if (full === undefined) return live.insert(draft);
      // A request with the same key may have stored it meanwhile.
      const existing = await store.commands.get(draft.projectId, draft.id);
      if (existing === undefined) throw full;
      return { row: existing, isNew: false };
    });
    if (!isNew) return { row, isNew, isLeaving: false };
    if (row.status === 'waiting') return { row, isNew, isLeaving: await this.#added(row) };
    run.asked([row]);
    return { row, isNew, isLeaving: true };
  }

  /** The first obstacle of a waiting command; undefined: it does not wait. */
  async waitingFor({ status, deliver, projectId, serverId }: CommandRow): Promise<'server' | 'player' | undefined> {
    if (status !== 'waiting') return undefined;
    if (deliver !== 'when_online') return 'server';
    // The command is stored, whatever else cannot be read now.
    const bridge = await this.#reach.find({ projectId, serverId }).catch(() => undefined);
    return bridge === undefined ? 'server' : 'player';
  }

  /** A bridge of this node takes new commands now. */
  attach(session: Session): void {
    this.#scan(session);
  }

  /** The session of a bridge has ended. */
  detach(session: Session): void {
    this.#works.delete(session);
  }

  /** Commands of one server were stored as waiting. */
  async addedAll(rows: readonly CommandRow[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    const session = this.#sessionOf(first);
    if (session === undefined) return void (await this.#core.elsewhere?.tell(first));
    const online = await this.#playingAmong(
      session,
      rows.flatMap(({ deliver, target }) => (deliver === 'when_online' && target !== null ? [target] : [])),
    );
    for (const { deliver, target } of rows) {
      if (deliver === null || (deliver === 'when_online' && !online.has(target ?? ''))) continue;
      this.#ask(session, { target, deliver });
    }
  }

  /** A command has ended: the next one of its player may leave. */
  ended(row: CommandRow): void {
    const session = this.#sessionOf(row);
    if (session !== undefined && row.deliver !== null) this.#ask(session, { target: row.target, deliver: row.deliver });
  }

  /** A round had no effect, and the command waits again. */
  postponed(row: CommandRow): void {
    const { elsewhere, background } = this.#core;
    if (elsewhere === undefined || this.#sessionOf(row) !== undefined) return this.ended(row);
    background.run('tell of a waiting command', () => elsewhere.tell(row));
  }

  /** The bridge reported players: those who play now, and those who are online and cannot play yet. */
  reported(
    session: Session,
    players: readonly { identifier: string; online: boolean; playable?: boolean | undefined }[],
  ): void {
    const playing: string[] = [];
    for (const { identifier, online, playable = online } of players) {
      if (online && !playable) session.absent.add(identifier);
      else session.absent.delete(identifier);
      if (online && playable) playing.push(identifier);
    }
    if (!session.isSynced || playing.length === 0) return;
    this.#core.background.run('deliver to reported players', async () => {
      const targets = await this.#core.store.commands.waitingAmong(session, playing);
      for (const target of targets) this.#ask(session, { target, deliver: 'when_online' });
    });
  }

  /** The bridge has announced its custom commands: those that waited for one may leave. */
  announced(session: Session): void {
    this.#scan(session);
  }

  /** The bridge has reported all its players. */
  synced(session: Session): void {
    session.isSynced = true;
    this.#scan(session);
  }

  /**
   * Looks at all servers of this node that have waiting commands: for those that other nodes have stored, whose rest is
   * over, whose earlier one another node has ended, and whose try has failed.
   */
  async pickUp(): Promise<void> {
    const { store, router } = this.#core;
    for (const address of await store.commands.serversThatWait(router.node)) {
      const session = this.#sessionOf(address);
      if (session !== undefined) this.#scan(session);
    }
  }

  sweep(): void {
    for (const session of this.#works.keys()) this.#pump(session);
  }

  /** The number of lanes that are to be tried. */
  size(): number {
    let size = 0;
    for (const { asked, trying } of this.#works.values()) size += asked.size + trying.size;
    return size;
  }

  async #isPlayerKnown({ project, serverId, player, deliver, ...wish }: CommandRequest): Promise<boolean> {
    const target = player ?? targetOf(wish);
    if (target === undefined && deliver !== 'when_online') return true;
    if (target === undefined) {
      throw invalidField('/deliver', 'must be now or when_connected: the hub knows no player of this command');
    }
    return (await this.#core.store.players.meant(project.id, serverId, target)) === 'own';
  }

  /** @throws HubError player_not_found; not if a restored backup may have forgotten the player: then the bridge is asked. */
  async #draftFor(request: CommandRequest): Promise<CommandRow> {
    const draft = draftOf(request, undefined, Date.now());
    if (await this.#isPlayerKnown(request)) return draft;
    if (!this.#core.live.mayBeForgotten(draft)) throw new HubError('player_not_found');
    return {
      ...draft,
      status: 'rejected',
      error: { code: 'player_not_found', message: 'The hub knows no such player.' },
    };
  }

  /** The bound that leaves no room for this command; undefined: there is room. */
  async #fullOf(
    { project }: CommandRequest,
    { projectId, serverId, target, params }: CommandRow,
  ): Promise<HubError | undefined> {
    const { commands, batches } = this.#core.store;
    const most = { ...MAX_WAITING, project: project.maxWaiting };
    // Commands of batches that are not rows yet are counted already; first, because one that becomes a row meanwhile must
    // not be missed by both counts.
    const { unwritten, unwrittenBytes } = await batches.openOf(projectId);
    const rows = await commands.waitingCounts({ projectId, serverId }, target, most);
    const counts = { ...rows, project: rows.project + unwritten };
    for (const scope of ['player', 'server', 'project'] as const) {
      if (counts[scope] < most[scope] || (scope === 'player' && target === null)) continue;
      return waitingFull(
        { of: scope, most: most[scope] },
        `${most[scope]} commands wait for this ${scope}, and no more may.`,
      );
    }
    return fullOfBytes(rows.bytes + unwrittenBytes, bytesOf(params));
  }

  /** A command was stored as waiting. True: it leaves at once. */
  async #added(row: CommandRow): Promise<boolean> {
    const session = this.#sessionOf(row);
    if (session === undefined || row.deliver === null) {
      // The other node also looks by itself.
      await this.#core.elsewhere?.tell(row).catch(() => undefined);
      return false;
    }
    const { deliver, target } = row;
    try {
      if (deliver === 'when_online' && !(await this.#isPlaying(session, target))) return false;
    } catch {
      // It is stored, and this must not sound as if it were not.
      return false;
    }
    this.#ask(session, { target, deliver });
    return this.#isReady(session);
  }

  /** The session whose bridge takes commands here. */
  #sessionOf({ projectId, serverId }: Address): Session | undefined {
    return this.#core.router.find(projectId, serverId);
  }

  /** Whether the bridge takes new commands: those of earlier sessions are reconciled, and its game stays up. */
  #isReady(session: Session): boolean {
    const isCurrent = this.#sessionOf(session) === session && session.isOpen();
    return isCurrent && session.window > 0 && session.state.draining !== true;
  }

  #workOf(session: Session): Work {
    const known = this.#works.get(session);
    if (known !== undefined) return known;
    const work: Work = { asked: new Map(), trying: new Set(), scan: undefined };
    this.#works.set(session, work);
    return work;
  }

  #ask(session: Session, lane: Lane): void {
    const { asked } = this.#workOf(session);
    if (asked.size >= MOST_ASKED) return this.#scan(session);
    asked.set(keyOf(lane), lane);
    this.#pump(session);
  }

  /** Looks at all lanes of the server, once more if it is about to. */
  #scan(session: Session): void {
    const work = this.#workOf(session);
    if (work.scan === undefined) {
      work.scan = { last: undefined, isReading: false, isAskedAgain: false };
      work.asked.set(keyOf(UNTARGETED), UNTARGETED);
    } else work.scan.isAskedAgain = true;
    this.#pump(session);
  }

  /** Lets as many commands leave as the bridge's window has room for. */
  #pump(session: Session): void {
    const work = this.#workOf(session);
    const { asked, trying, scan } = work;
    if (this.#sessionOf(session) !== session) return this.detach(session);
    if (!this.#isReady(session)) return;
    const queue = this.#core.run.queues.queueOf(session);
    for (const [key, lane] of asked) {
      if (trying.has(key)) continue;
      if (!queue.hasRoomForWaited(trying.size)) return;
      asked.delete(key);
      trying.add(key);
      this.#core.background.run('deliver', () => this.#try(session, lane));
    }
    if (scan !== undefined && !scan.isReading && asked.size < PAGE) {
      scan.isReading = true;
      this.#core.background.run('find waiting commands', () => this.#readOn(session, work, scan));
    }
    if (scan === undefined && asked.size + trying.size === 0) this.detach(session);
  }

  async #readOn(session: Session, work: Work, scan: NonNullable<Work['scan']>): Promise<void> {
    try {
      const lanes = await this.#core.store.commands.lanesAfter(session, scan.last, PAGE);
      for (const lane of lanes) work.asked.set(keyOf(lane), lane);
      scan.last = lanes.at(-1);
      if (lanes.length < PAGE) work.scan = undefined;
    } catch (error) {
      work.scan = undefined;
      throw error;
    } finally {
      scan.isReading = false;
      if (work.scan === undefined && scan.isAskedAgain) this.#scan(session);
      else this.#pump(session);
    }
  }

  async #try(session: Session, lane: Lane): Promise<void> {
    const { trying } = this.#workOf(session);
    let isNext = false;
    try {
      isNext = await this.#releaseFirst(session, lane);
    } finally {
      trying.delete(keyOf(lane));
      if (isNext) this.#ask(session, lane);
      else this.#pump(session);
    }
  }

  /** Releases the first command of a lane, if it may leave. Returns whether the next one may be tried at once. */
  async #releaseFirst(session: Session, lane: Lane): Promise<boolean> {
    const { store, run } = this.#core;
    const first = await store.commands.firstWaiting(session, lane);
    if (first === undefined) return false;
    if (lane.deliver === 'when_online' && !(await this.#isPlaying(session, lane.target))) return false;
    const declared = declaredNow(session, first.row);
    const row = { ...first.row, ...declared };
    const at = Date.now();
    const until = row.deliverUntil ?? at;
    if (until <= at) {
      await run.expire(row.id);
      return true;
    }
    if ((first.notBefore ?? 0) > at) return false;
    const refusal = await this.#refusalOf(session, row);
    if (refusal?.extras.retryAfterS !== undefined) return false;
    if (refusal !== undefined) {
      await run.refuse(row.id, storedRefusal(refusal));
      return true;
    }
    if (declared !== undefined) await store.commands.declare({ id: row.id, ...declared });
    const released = await store.commands.release({ id: row.id, expiresAt: Math.min(until, at + ROUND_MS), at });
    // Undefined: another one of the lane has not ended, or this one was taken back meanwhile.
    if (released !== undefined) run.queues.take(released);
    return false;
  }

  /** Why the bridge cannot do it; with `retryAfterS`, it may be able to soon. */
  async #refusalOf(session: Session, row: CommandRow): Promise<HubError | undefined> {
    const wish = wishOf(row);
    if (isStillExpected(session, wish)) return new HubError('commands_not_known_yet', undefined, { retryAfterS: 1 });
    const project = await this.#core.store.projects.byId(row.projectId);
    if (project === undefined) return new HubError('server_not_found');
    const fault = faultOfBatch(session, row);
    if (fault !== undefined) return fault;
    try {
      assertCapable(session, wish, project);
      return undefined;
    } catch (error) {
      if (error instanceof HubError) return error;
      throw error;
    }
  }

  async #isPlaying(session: Session, target: string | null): Promise<boolean> {
    return target !== null && (await this.#playingAmong(session, [target])).has(target);
  }

  /** Returns which of these players play. Until the bridge has reported all its players, the rows may be of another time. */
  async #playingAmong(session: Session, targets: readonly string[]): Promise<Set<string>> {
    const { projectId, serverId, isSynced, absent } = session;
    const states = isSynced ? await this.#core.store.players.states(projectId, serverId, targets) : [];
    return new Set(states.flatMap(({ identifier, online }) => (online && !absent.has(identifier) ? [identifier] : [])));
  }
}
