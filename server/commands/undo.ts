import { isDeepStrictEqual } from 'node:util';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import { isSettled } from '../../db/schema/command-status.ts';
import type { Store } from '../../db/store.ts';
import { type HubError, invalidField } from '../platform/errors.ts';
import { derivedCommandId } from '../platform/ids.ts';
import { entryOf, isCatalogued, targetOf } from './catalogue.ts';
import { oppositeOf } from './opposite.ts';
import { readLastingWish } from './read-wish.ts';
import type { SubmitRequest } from './request.ts';
import { executedOf } from './settle.ts';

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
