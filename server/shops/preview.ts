import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IntegrationRow } from '../../db/queries/integrations.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { ShopLineRow } from '../../db/queries/shop-lines.ts';
import type { Store } from '../../db/store.ts';
import type { Commands } from '../commands/commands.ts';
import { type ErrorCode, HubError } from '../platform/errors.ts';
import type { Buyers } from './buyers.ts';
import type { Hint, Hints } from './hints.ts';
import { assertAmount, assertDaily, givenToday } from './limits.ts';
import type { Bought } from './notice.ts';
import { ANY_TARGET, type ReadyLine } from './packages.ts';
import { passingReason } from './passing.ts';
import { linesOf, planOf } from './plan.ts';

const SHOWN = 200;

/** A command that an order would make now, or why it would not. */
export type Preview = {
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
  store: Pick<Store, 'shopLines'>;
  buyers: Buyers;
  readyLine: ReadyLine;
  hints: Hints;
  assertPossible: Commands['assertPossible'];
  now: () => number;
};

/** Tells what an order would do now. Nothing is stored and nothing is sent. */
export const createPreview = ({ store, buyers, readyLine, hints, assertPossible, now }: Deps) => {
  const targetOf = async (line: ShopLineRow, kind: string | null): Promise<{ target: string } | Problem> => {
    if (line.buyer === null) return { problem: 'no_buyer', detail: null };
    const found = await buyers(line, kind);
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
      const ready = await readyLine(line, target);
      if ('detail' in ready) throw new HubError('invalid_request', `${ready.pointer}: ${ready.detail}`);
      await assertPossible({ ...ready.wish, project, serverId: line.serverId });
      return undefined;
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      return { code: error.code, detail: error.message, isPassing: passingReason(error) !== undefined };
    }
  };

  return async (integration: IntegrationRow, project: ProjectRow, bought: readonly Bought[]): Promise<Preview[]> => {
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
    let given = await givenToday(store, integration, now());
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
  };
};
