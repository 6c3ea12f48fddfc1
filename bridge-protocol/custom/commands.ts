import type { Outcome } from '../journal/journal.ts';
import { type CommandContext, type CustomRoles, customCommand } from '../wire/commands.ts';
import { LIMITS } from '../wire/limits.ts';
import type { BridgeMessage, MessageOf } from '../wire/messages.ts';
import { type Declaration, readDeclaration, unknownRole } from './roles.ts';
import { paramsFault, readParams } from './schema.ts';

type Announcement = MessageOf<BridgeMessage, 'commands.custom'>;

/** `target`: the player it acts on, where the parameter that names the player is an identifier. */
export type CustomContext = CommandContext & { target: string | undefined };
/** Carries out a custom command; as with every command, a thrown error proves nothing about the effect. */
export type CustomHandler = (params: Record<string, unknown>, context: CustomContext) => Outcome | Promise<Outcome>;

export type CustomCommand = {
  /** Matches `CUSTOM_NAME_PATTERN`. */
  name: string;
  description?: string;
  /** A JSON Schema of the parameters, which are one object; see the specification for the keywords. */
  params: unknown;
  /** The meaning of parameters: see `CustomRoles`. */
  roles?: unknown;
  handler: CustomHandler;
};

/** A registration was refused: its name is taken, there are too many commands, or no hub would accept it. */
export class CustomCommandError extends Error {
  override name = 'CustomCommandError';
}

/**
 * The commands that a game server adds to those of the catalogue, while it runs. Give it to `createBridge`, which
 * announces them to the hub after each welcome and at each change.
 */
export const createCustomCommands = () => {
  const commands = new Map<
    string,
    Declaration & { announced: Announcement['commands'][number]; handler: CustomHandler }
  >();
  const listeners = new Set<() => void>();
  let isTelling = false;

  /** Changes of the same turn are announced together. */
  const tell = (): void => {
    if (isTelling) return;
    isTelling = true;
    queueMicrotask(() => {
      isTelling = false;
      for (const listener of listeners) listener();
    });
  };

  return {
    /** @throws CustomCommandError that describes the mistake to the command's author */
    register: ({ name, description = '', params, roles: given, handler }: CustomCommand): void => {
      const announced = customCommand.safeParse({ name, description, params: {} });
      if (!announced.success) {
        throw new CustomCommandError(
          `a name is up to 48 of a-z 0-9 _ - and begins with a letter; a description has at most ${LIMITS.customDescriptionLength} characters`,
        );
      }
      const read = readDeclaration({ params, roles: given });
      if ('problem' in read) throw new CustomCommandError(`its schema or roles cannot be used: ${read.problem}`);
      const unknown = unknownRole(given);
      if (unknown !== undefined) throw new CustomCommandError(`there is no role "${unknown.slice(0, 64)}"`);
      if (commands.has(name)) throw new CustomCommandError('there is a command of this name');
      if (commands.size >= LIMITS.customCommands) {
        throw new CustomCommandError(`there are ${LIMITS.customCommands} custom commands, and no more are possible`);
      }
      const { schema, roles } = read;
      const told = { ...announced.data, params: schema, ...(roles !== undefined && { roles }) };
      commands.set(name, { ...read, announced: told, handler });
      tell();
    },
    unregister: (name: string): void => {
      if (commands.delete(name)) tell();
    },
    /** The announcement for the hub: all custom commands. */
    announcement: (): Announcement => ({
      type: 'commands.custom',
      commands: [...commands.values()].map(({ announced }) => announced),
    }),
    size: (): number => commands.size,
    /** The handler as it is now; undefined when there is no such command any more. */
    handler: (name: string): CustomHandler | undefined => commands.get(name)?.handler,
    roles: (name: string): CustomRoles | undefined => commands.get(name)?.roles,
    /** The fault in the parameters; they are read as the hub reads them. */
    check: (name: string, params: unknown) => {
      const schema = commands.get(name)?.schema;
      const read = readParams(params);
      if ('fault' in read || schema === undefined) return read;
      const fault = paramsFault(schema, read.params);
      return fault === undefined ? read : { fault };
    },
    /** Calls `listener` after each change; returns a function that removes the listener. */
    onChange: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};
export type CustomCommands = ReturnType<typeof createCustomCommands>;
