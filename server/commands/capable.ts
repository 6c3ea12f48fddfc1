import {
  type CommandName,
  type CommandParams,
  type CustomName,
  commandTag,
  isCommandName,
} from '../../bridge-protocol/index.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { Reached } from '../cluster/router.ts';
import { HubError, invalidField } from '../platform/errors.ts';
import { assertCustom } from './custom.ts';
import { isExactlyOnce } from './dispatch.ts';

/** A command of the catalogue with its checked parameters, or a custom one with what is yet to be checked. */
export type Wish =
  | { name: CommandName; params: CommandParams<CommandName> }
  | { name: CustomName; params: Record<string, unknown> };

/** Whether it is a command that the protocol knows. */
export const isCatalogued = (wish: Wish): wish is Extract<Wish, { name: CommandName }> => isCommandName(wish.name);

const assertJournal = ({ journalClass }: Reached, { allowVolatile }: ProjectRow): void => {
  if (journalClass === 'volatile' && !allowVolatile) throw new HubError('journal_required');
};

/** The bridge can do it, now and with this journal, and the project allows it. @throws HubError */
export const assertCapable = (session: Reached, wish: Wish & { player?: string }, project: ProjectRow): void => {
  if (session.state.draining === true) throw new HubError('server_restarting', undefined, { retryAfterS: 30 });
  if (!isCatalogued(wish)) {
    const { player } = wish;
    const params = player === undefined ? wish.params : { ...wish.params, target: player };
    assertCustom(session, { name: wish.name, params });
    return assertJournal(session, project);
  }
  const { name, params } = wish;
  if (!session.commands.has(commandTag(name))) throw new HubError('unsupported');
  if (isExactlyOnce(name)) assertJournal(session, project);
  if (!('type' in params)) return;
  if (!session.accounts.includes(params.type)) {
    throw invalidField('/type', `this server has the accounts ${session.accounts.join(', ')}`);
  }
  if (project.maxAmount !== null && params.amount > project.maxAmount) {
    throw invalidField('/amount', `the project allows at most ${project.maxAmount} in one command`);
  }
};
