import { rejected } from '../bridge-protocol/client/handlers.ts';
import { type CustomContext, createCustomCommands } from '../bridge-protocol/custom/commands.ts';
import type { Outcome } from '../bridge-protocol/journal/journal.ts';
import { COMMAND_ERROR_CODES, type CommandErrorCode } from '../bridge-protocol/wire/messages.ts';
import { ask } from './adapter.ts';
import { onEvent, say } from './natives.ts';

/** The caller has an answer by this time; a handler that takes longer is treated as lost. */
const ANSWER_WITHIN_MS = 30_000;

/** A callback from another resource: a function of another runtime. */
type Handler = (params: Record<string, unknown>, context: Record<string, unknown>) => unknown;
type Owned = { name: string; owner: string; handler: Handler; endings: Set<(why: string) => void> };

const unknown = (message: string): Outcome => ({ status: 'indeterminate', error: { code: 'internal_error', message } });
const isCode = (code: unknown): code is CommandErrorCode => COMMAND_ERROR_CODES.some((one) => one === code);

/**
 * Reads a handler's result: `{ refused = 'reason' }` had no effect; a table is the result; other values become `value`.
 */
const outcomeOf = (returned: unknown): Outcome => {
  if (returned === undefined || returned === null) return { status: 'done', data: {} };
  // An empty Lua table arrives as a list.
  if (Array.isArray(returned) && returned.length === 0) return { status: 'done', data: {} };
  if (typeof returned !== 'object' || Array.isArray(returned)) return { status: 'done', data: { value: returned } };
  const data = returned as Record<string, unknown>;
  const { refused, code } = data;
  if (refused === undefined) return { status: 'done', data };
  const why = typeof refused === 'object' ? JSON.stringify(refused) : String(refused);
  return rejected(isCode(code) ? code : 'refused', why);
};

/** The commands of other resources. A command ends when its resource stops, and only that resource carries it out. */
export const createResourceCommands = () => {
  const commands = createCustomCommands();
  const all = new Map<string, Owned>();

  /** Ends a call once: with the handler's answer, or with the report that no answer came. */
  const answered = ({ name, owner, handler, endings }: Owned, ...args: Parameters<Handler>): Promise<Outcome> =>
    new Promise((resolve) => {
      const end = (outcome: Outcome): void => {
        clearTimeout(limit);
        endings.delete(giveUp);
        resolve(outcome);
      };
      const giveUp = (why: string, detail = ''): void => {
        say(`"${name}" of ${owner} ${why}: its effect is unknown${detail}`);
        end(unknown(`The handler of "${name}" in ${owner} ${why}.`));
      };
      const limit = setTimeout(() => giveUp(`did not answer within ${ANSWER_WITHIN_MS / 1000} s`), ANSWER_WITHIN_MS);
      endings.add(giveUp);
      // An error's text reaches another resource only if the handler waited; otherwise it is in the console, above.
      const failed = (error?: unknown): void =>
        giveUp('failed with an error', error === undefined ? '' : `; ${String(error)}`);
      try {
        Promise.resolve(handler(...args))
          .then(outcomeOf)
          .then(end, failed);
      } catch {
        failed();
      }
    });

  const run = async (
    owned: Owned,
    params: Record<string, unknown>,
    { id, target }: CustomContext,
  ): Promise<Outcome> => {
    const { source } = target === undefined ? {} : await ask('source', target);
    if (all.get(owned.name) !== owned) return rejected('unsupported', `${owned.owner} has stopped.`);
    const whom = target === undefined ? {} : { target };
    return answered(owned, params, { id, ...whom, ...(source === undefined ? {} : { source: Number(source) }) });
  };

  const remove = (owned: Owned, why: string): void => {
    all.delete(owned.name);
    commands.unregister(owned.name);
    for (const giveUp of [...owned.endings]) giveUp(why);
  };

  onEvent('onResourceStop', (resource: unknown) => {
    for (const owned of [...all.values()]) if (owned.owner === resource) remove(owned, 'was stopped in the middle');
  });

  /** Registers a command; a resource may register its own command again. False: the console shows the reason. */
  const register = (owner: string, given: unknown, schema: unknown, handler: unknown, roles?: unknown): boolean => {
    const name = String(given);
    const known = all.get(name);
    const refuse = (why: string): false => {
      say(`${owner} cannot offer the command "${name.slice(0, 64)}": ${why}`);
      return false;
    };
    if (known !== undefined && known.owner !== owner) return refuse(`${known.owner} offers it already`);
    if (typeof handler !== 'function') return refuse('there is no function that carries it out');
    const owned: Owned = { name, owner, handler: handler as Handler, endings: known?.endings ?? new Set() };
    const { description } = Object(schema) as { description?: unknown };
    commands.unregister(name);
    all.delete(name);
    try {
      const text = typeof description === 'string' ? description : '';
      commands.register({ name, description: text, params: schema, roles, handler: (...args) => run(owned, ...args) });
    } catch (error) {
      return refuse(error instanceof Error ? error.message : String(error));
    }
    all.set(name, owned);
    return true;
  };

  return { commands, register, names: (): string[] => [...all.keys()] };
};
export type ResourceCommands = ReturnType<typeof createResourceCommands>;
