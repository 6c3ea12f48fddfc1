import type { IntegrationRow } from '../../db/queries/integrations.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { ShopLineRow } from '../../db/queries/shop-lines.ts';
import type { Commands } from '../commands/commands.ts';
import { HubError } from '../platform/errors.ts';
import type { Buyers } from './buyers.ts';
import type { Bought } from './notice.ts';
import { assertAmount, type ReadyLine } from './packages.ts';
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
};

type Problem = { problem: string; detail: string | null };
const NONE = { problem: null, detail: null };

/** Tells what an order would do now. Nothing is stored and nothing is sent. */
export const createPreview = ({
  buyers,
  readyLine,
  assertPossible,
}: {
  buyers: Buyers;
  readyLine: ReadyLine;
  assertPossible: Commands['assertPossible'];
}) => {
  const targetOf = async (line: ShopLineRow, kind: string | null): Promise<{ target: string } | Problem> => {
    if (line.buyer === null) return { problem: 'no_buyer', detail: null };
    const found = await buyers(line, kind);
    if (found === 'unknown') return { problem: 'unknown_buyer', detail: null };
    return found === 'waits' ? { problem: 'several_characters', detail: null } : found;
  };

  /** Why the server would refuse the command now; null: it would not. */
  const problemOf = async (line: ShopLineRow, target: string, project: ProjectRow, { maxAmount }: IntegrationRow) => {
    try {
      const ready = await readyLine(line, target);
      if ('detail' in ready) return { problem: 'invalid_request', detail: `${ready.pointer}: ${ready.detail}` };
      assertAmount({ name: line.name ?? '', params: line.params ?? {} }, maxAmount);
      await assertPossible({ ...ready.wish, project, serverId: line.serverId });
      return NONE;
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      return { problem: error.code, detail: error.message };
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
    for (const line of linesOf(order, 0).slice(0, SHOWN)) {
      const row = { ...line, seq: 0 };
      const { package: id, number, name, params, reason, detail, buyer } = row;
      const found = targets.get(buyer?.value ?? '') ?? (await targetOf(row, identifierKind));
      targets.set(buyer?.value ?? '', found);
      const target = 'target' in found ? found.target : null;
      const known = name === null ? { problem: reason, detail } : 'problem' in found ? found : undefined;
      const problem = known ?? (await problemOf(row, target ?? '', project, integration));
      shown.push({ package: id, number, name, params, target, ...problem });
    }
    return shown;
  };
};
