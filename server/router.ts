import type { HubMessage, JournalClass, ParamsSchema } from '../bridge-protocol/index.ts';

export type ServerState = {
  players?: { online: number; max?: number | undefined } | undefined;
  database?: { engine: string; status: 'pass' | 'warn' | 'fail'; latencyMs?: number | undefined } | undefined;
  tickMs?: number | undefined;
  draining?: boolean | undefined;
  reportedAt: number;
};

/** A command that the game server adds to those of the catalogue. */
export type CustomCommand = { readonly name: string; readonly description: string; readonly params: ParamsSchema };

/** One accepted, welcomed connection of a bridge, as the layers above the socket see it. */
export type Session = {
  readonly id: string;
  readonly projectId: string;
  readonly serverId: string;
  readonly epoch: number;
  readonly instance: string;
  readonly journalClass: JournalClass;
  readonly commands: ReadonlySet<string>;
  readonly accounts: readonly string[];
  readonly connectedAt: number;
  /** What the bridge announced last, by name; undefined: it has announced nothing yet. */
  custom: ReadonlyMap<string, CustomCommand> | undefined;
  /** What the bridge reported last; `draining` refuses new commands. */
  state: ServerState;
  /** How many commands may be in flight to it; 0 until those of earlier sockets have been looked at. */
  window: number;
  /** False once the socket is gone or fenced: nothing may be sent any more. */
  isOpen(): boolean;
  send(message: HubMessage): void;
};

/** The address of a game server: its id is unique inside a project only. */
export const addressOf = (projectId: string, serverId: string): string => `${projectId}/${serverId}`;

/** Who holds this server's socket. On one node a table; removal compares, so that an old socket never removes a new one. */
export const createLocalRouter = () => {
  const sessions = new Map<string, Session>();
  return {
    engine: 'local' as const,
    find: (projectId: string, serverId: string): Session | undefined => sessions.get(addressOf(projectId, serverId)),
    /** Makes the session the one that is addressed. */
    attach: (session: Session): void => {
      sessions.set(addressOf(session.projectId, session.serverId), session);
    },
    /** Removes this very session; false if another one has taken its place. */
    detach: (session: Session): boolean => {
      const address = addressOf(session.projectId, session.serverId);
      return sessions.get(address) === session && sessions.delete(address);
    },
    count: (): number => sessions.size,
    all: (): Iterable<Session> => sessions.values(),
  };
};
export type Router = ReturnType<typeof createLocalRouter>;
