import { setImmediate as nextTurn } from 'node:timers/promises';
import { fold } from '../../bridge-protocol/fold.ts';
import { type CatalogueKind, type CustomRoles, isCustomName, nameOfCustom } from '../../bridge-protocol/index.ts';
import type { IntegrationRow } from '../../db/queries/integrations.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { ShopLineRow } from '../../db/queries/shop-orders.ts';
import type { Actor } from '../../db/schema/commands.ts';
import { isForStaff, type LineDecision, STAFF } from '../../db/schema/shops.ts';
import type { Store } from '../../db/store.ts';
import type { Commands } from '../commands/commands.ts';
import { executedOf, oppositeOf } from '../commands/view.ts';
import type { Catalogues, Searched } from '../panel/catalogues.ts';
import { type ErrorCode, HubError } from '../platform/errors.ts';
import { findBuyer } from './buyers.ts';
import { ANY_TARGET, assertAmount, assertDaily, givenToday } from './integrations.ts';
import { KEPT_FOR_MS, type Lines, passingReason, UNKNOWN_AGAIN_MS } from './order-lines.ts';
import { type Bought, linesOf, planOf } from './orders.ts';

const undecidable = (detail: string): HubError => new HubError('already_decided', detail);

/** Time for second thoughts. */
export const UNDO_WITHIN_MS = 30 * 24 * 60 * 60 * 1000;

/** The state of a line that a person decides too late, in words. */
const told = ({ state, target, decision }: ShopLineRow): string => {
  if (['blocked', 'refunding', 'reversing', 'reversed'].includes(state)) return 'The payment was refunded meanwhile.';
  const { is, by, undo } = decision ?? {};
  if (state === 'undoing') return `${undo?.by.name} takes it back.`;
  if (state === 'dismissed') return `${by?.name} took it off the list.`;
  if (STAFF.includes(state)) return 'It is on the list.';
  if (is === 'given') return `${by?.name} gave it to ${target}.`;
  return target === null ? `It is ${state}.` : `It is ${state}, for ${target}.`;
};

/** @throws HubError already_decided */
const assertOpen = (line: ShopLineRow): void => {
  if (!isForStaff(line)) throw undecidable(told(line));
};

/** A doubt about a command that the hub would make: the game server decides. */
type Hint = { code: ErrorCode; detail: string };

/** A thing of the game that a command names. */
type Named = { kind: CatalogueKind; word: string; grade?: number };

const UNKNOWN: Record<CatalogueKind, { code: ErrorCode; list: string }> = {
  items: { code: 'unknown_item', list: 'items' },
  vehicles: { code: 'unknown_model', list: 'vehicle models' },
  jobs: { code: 'unknown_job', list: 'jobs' },
};

const named = (kind: CatalogueKind, word: unknown): Named | undefined =>
  typeof word === 'string' ? { kind, word } : undefined;

const namedBy = ({ name, params }: ShopLineRow, roles: CustomRoles | undefined): Named | undefined => {
  const given = params ?? {};
  if (name === 'items') return named('items', given['item']);
  if (name === 'vehicles') return named('vehicles', given['model']);
  if (name !== 'job') return roles?.item === undefined ? undefined : named('items', given[roles.item]);
  const job = named('jobs', given['job']);
  return job && { ...job, grade: Number(given['grade']) };
};

/** Games read the names of models in any case, and other names as they are. */
const find = (entries: readonly Searched[], { kind, word }: Named): Searched | undefined => {
  const folded = fold(word);
  return entries.find(({ entry, name }) => (kind === 'vehicles' ? name === folded : entry.name === word));
};

const hintsOf = (thing: Named, entries: readonly Searched[]): Hint[] => {
  const { kind, word, grade } = thing;
  const { code, list } = UNKNOWN[kind];
  const found = find(entries, thing);
  if (found === undefined) return [{ code, detail: `The list of ${list} that the game server sent has no "${word}".` }];
  const { grades } = found.entry;
  if (grades === undefined || grades.some((each) => each.grade === grade)) return [];
  const detail = `In the list of jobs that the game server sent, "${word}" has no grade ${grade}.`;
  return [{ code: 'unknown_grade', detail }];
};

const SHOWN = 200;

/** A command that an order would make now, or why it would not. */
type Preview = {
  package: string;
  number: number;
  name: string | null;
  params: Record<string, unknown> | null;
  target: string | null;
  /** Null: the command would be made. */
  problem: string | null;
  detail: string | null;
  hints: Hint[];
};

type Problem = { problem: string | null; detail: string | null };

/** Why a command would not be made, or not yet. */
type Refusal = { code: ErrorCode; detail: string; isPassing: boolean };

const problemOf = (refusal: Refusal | undefined): Problem => ({
  problem: refusal?.code ?? null,
  detail: refusal?.detail ?? null,
});
const hintOf = ({ code, detail }: Refusal): Hint => ({ code, detail });

type Deps = {
  store: Pick<Store, 'commands' | 'shopLines' | 'shopOrders' | 'players'>;
  lines: Pick<Lines, 'change' | 'wishOf' | 'refund' | 'mayBeForgotten'>;
  catalogues: Catalogues;
  commands: Pick<Commands, 'assertPossible' | 'customOf'>;
};

/** Acts of the staff: they try an order out, and decide lines that the hub leaves to them. */
export const shopStaff = ({ store, lines, catalogues, commands }: Deps) => {
  /** The roles of a custom command's parameters; undefined while they are not known. */
  const rolesOf = async ({ projectId, serverId, name }: ShopLineRow): Promise<CustomRoles | undefined> => {
    if (name === null || !isCustomName(name)) return undefined;
    try {
      return (await commands.customOf({ projectId, serverId }))?.get(nameOfCustom(name))?.roles;
    } catch (error) {
      if (error instanceof HubError) return undefined;
      throw error;
    }
  };

  /** Hints at a name that the stored catalogue lacks. @throws HubError rate_limited */
  const hints = async (line: ShopLineRow): Promise<Hint[]> => {
    const thing = namedBy(line, await rolesOf(line));
    if (thing === undefined) return [];
    const { projectId, serverId } = line;
    const { entries } = await catalogues.get({ projectId, serverId, kind: thing.kind });
    // A game server that sends no list may have everything.
    return entries.length === 0 ? [] : hintsOf(thing, entries);
  };

  const targetOf = async (line: ShopLineRow, kind: string | null): Promise<{ target: string } | Problem> => {
    if (line.buyer === null) return { problem: 'no_buyer', detail: null };
    const found = await findBuyer(store, line, kind);
    if (found === 'unknown') return { problem: 'unknown_buyer', detail: null };
    return found === 'waits' ? { problem: 'several_characters', detail: null } : found;
  };

  /** Why the integration or the server would refuse the command now; undefined: they would not. */
  const refusalOf = async (
    line: ShopLineRow,
    target: string,
    { project, integration, given }: { project: ProjectRow; integration: IntegrationRow; given: number },
  ): Promise<Refusal | undefined> => {
    try {
      assertAmount({ name: line.name ?? '', params: line.params ?? {} }, integration.maxAmount);
      assertDaily(integration, given, line.amount);
      const wish = await lines.wishOf(line, target);
      await commands.assertPossible({ ...wish, project, serverId: line.serverId });
      return undefined;
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      return { code: error.code, detail: error.message, isPassing: passingReason(error) !== undefined };
    }
  };

  /** The line after a decision. @throws HubError already_decided: another one was faster */
  const decided = async (line: ShopLineRow, changed: ShopLineRow | undefined): Promise<ShopLineRow> => {
    if (changed !== undefined) return changed;
    const now = await store.shopLines.get(line.integrationId, line.id);
    throw undecidable(now === undefined ? 'It is gone.' : told(now));
  };

  const putBack = async (line: ShopLineRow, decision: LineDecision): Promise<ShopLineRow> => {
    const { state = 'unmatched', unbound = null, isDue = false } = decision.from ?? {};
    // A buyer whose report came while no line waited for one is stored by then, and what was in doubt may be known.
    const dueAt = isDue || line.reason === 'indeterminate' ? Date.now() + UNKNOWN_AGAIN_MS : null;
    const back = await decided(line, await lines.change(line, { state, unbound, dueAt, decision, decidedAt: null }));
    // Read after the change: a refund that comes now finds the line.
    const { refundedAt = null } = (await store.shopOrders.get(back)) ?? {};
    if (refundedAt === null) return back;
    await lines.refund(back);
    return (await store.shopLines.get(back.integrationId, back.id)) ?? back;
  };

  const takeBack = async (line: ShopLineRow, decision: LineDecision): Promise<ShopLineRow> => {
    const { projectId, state, commandId } = line;
    if (!['pending', 'placed', 'delivered'].includes(state)) throw undecidable(told(line));
    const command = await (commandId === null ? undefined : store.commands.get(projectId, commandId));
    if (state === 'delivered' && (command === undefined || oppositeOf(command) === undefined)) {
      throw undecidable('The hub cannot take it back: its command has no opposite. Take it back in the game.');
    }
    if (commandId === null && (await lines.mayBeForgotten(line))) {
      throw undecidable('A backup was restored, so it may have been given before. Wait until its command has ended.');
    }
    const undoing = { state: 'undoing', reason: null, detail: null, dueAt: Date.now(), decision } as const;
    return decided(line, await lines.change(line, undoing));
  };

  return {
    /** Tells what an order would do now. Nothing is stored and nothing is sent. */
    preview: async (
      integration: IntegrationRow,
      project: ProjectRow,
      bought: readonly Bought[],
    ): Promise<Preview[]> => {
      const { id: integrationId, projectId, serverId, packages, identifierKind } = integration;
      const order = {
        integrationId,
        projectId,
        serverId,
        transaction: 'test',
        plan: planOf(bought, packages),
        paid: null,
        requestId: '',
        isOpen: false,
        createdAt: 0,
        paidAt: null,
        refundedAt: null,
        dispute: null,
      };
      const targets = new Map<string, Awaited<ReturnType<typeof targetOf>>>();
      const shown: Preview[] = [];
      let given = await givenToday(store, integration);
      const hintsOfParams = new Map<unknown, Hint[]>();
      for (const line of linesOf(order, 0)) {
        if (shown.length === SHOWN) break;
        await nextTurn();
        const row = { ...line, seq: 0 };
        const { package: id, number, name, params, buyer } = row;
        const about = { package: id, number, name, params };
        if (name === null) {
          shown.push({ ...about, target: null, problem: row.reason, detail: row.detail, hints: [] });
          continue;
        }
        const found = targets.get(buyer?.value ?? '') ?? (await targetOf(row, identifierKind));
        targets.set(buyer?.value ?? '', found);
        const target = 'target' in found ? found.target : null;
        const refusal = await refusalOf(row, target ?? ANY_TARGET, { project, integration, given });
        if (target !== null && (refusal === undefined || refusal.isPassing)) given += row.amount;
        const problem = 'problem' in found ? found : problemOf(refusal);
        // While the buyer is unknown, only a hint can show what else is wrong.
        const hidden = target === null && refusal?.isPassing === false ? [hintOf(refusal)] : [];
        // Commands of one mapping share their parameters.
        const known = hintsOfParams.get(params) ?? (await hints(row));
        hintsOfParams.set(params, known);
        shown.push({ ...about, target, ...problem, hints: [...hidden, ...known] });
      }
      return shown;
    },
    /** Gives a line of the staff's list to a player. @throws HubError already_decided */
    give: async (line: ShopLineRow, target: string, by: Actor): Promise<ShopLineRow> => {
      assertOpen(line);
      const { refundedAt = null } = (await store.shopOrders.get(line)) ?? {};
      if (line.name === null || line.state === 'owed') throw undecidable('It has no command to give; dismiss it.');
      if (refundedAt !== null) throw undecidable('The payment was refunded; dismiss it.');
      const command = await (line.commandId === null ? undefined : store.commands.get(line.projectId, line.commandId));
      if (command !== undefined && executedOf(command.status) !== 'no') {
        throw undecidable(`Its command ${command.id} is ${command.status}; resolve it first.`);
      }
      const again = line.commandId === null ? {} : { commandId: null, placedAt: null, attempt: line.attempt + 1 };
      const buyer = line.buyer && { ...line.buyer, isReplaced: true };
      const fresh = { state: 'pending', target, buyer, unbound: null, reason: null, detail: null } as const;
      const at = Date.now();
      const decision = { is: 'given', by, at } as const;
      const due = { dueAt: at, expiresAt: at + KEPT_FOR_MS, decision, decidedAt: at };
      return decided(line, await lines.change(line, { ...fresh, ...again, ...due }));
    },
    /** Takes a line off the staff's list, and keeps how it was. @throws HubError already_decided */
    dismiss: async (line: ShopLineRow, note: string, by: Actor): Promise<ShopLineRow> => {
      assertOpen(line);
      const { state, unbound, dueAt } = line;
      const at = Date.now();
      const decision: LineDecision = { is: 'dismissed', by, at, note, from: { state, unbound, isDue: dueAt !== null } };
      return decided(line, await lines.change(line, { state: 'dismissed', dueAt: null, decision, decidedAt: at }));
    },
    /**
     * Takes a decision back: a dismissed line is on the list again as it was, and what was given is taken back first.
     * @throws HubError already_decided
     */
    undo: (line: ShopLineRow, by: Actor): Promise<ShopLineRow> => {
      const { decision, decidedAt } = line;
      if (decision === null || decidedAt === null) throw undecidable(told(line));
      if (decidedAt < Date.now() - UNDO_WITHIN_MS) throw undecidable('It was decided more than 30 days ago.');
      const undone = { ...decision, undo: { by, at: Date.now() } };
      return line.state === 'dismissed' ? putBack(line, undone) : takeBack(line, undone);
    },
  };
};
