import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { StoredError } from '../../db/schema/commands.ts';
import type { Store } from '../../db/store.ts';
import type { Asked } from './asked.ts';
import type { LiveCommands } from './command.ts';

type Step = () => Promise<CommandRow | undefined>;

/** Ends commands that were not sent. A restored one may have been, so its bridge is asked instead. */
export const createUnsent = ({
  store,
  live,
  announce,
  postponed,
  asked,
  now,
}: {
  store: Pick<Store, 'commands'>;
  live: LiveCommands;
  announce: (row: CommandRow) => void;
  /** A command that may wait waits again. */
  postponed: (row: CommandRow) => void;
  /** A restored command became one to ask about. */
  asked: Asked;
  now: () => number;
}) => {
  const { commands } = store;
  const nothing: Step = async () => undefined;

  /** The first step that finds the row in its state counts. Returns the row if it has ended. */
  const finish = async (steps: { end: Step; postpone?: Step; ask?: Step }): Promise<CommandRow | undefined> => {
    const { end, postpone = nothing, ask = nothing } = steps;
    const ended = await end();
    const back = ended ?? (await postpone());
    const changed = back ?? (await ask());
    if (changed === undefined) return undefined;
    live.release(changed.id);
    if (ended !== undefined) announce(ended);
    else if (back !== undefined) postponed(back);
    else asked([changed]);
    return ended;
  };

  return {
    /** It is past its deadline, or its round is. */
    expire: (id: string): Promise<CommandRow | undefined> =>
      finish({
        end: () => commands.expire(id, now()),
        postpone: () => commands.postponeLate(id, now()),
        ask: () => commands.askLate(id, now()),
      }),
    /** A waiting command cannot be carried out any more. */
    refuse: (id: string, error: StoredError): Promise<CommandRow | undefined> =>
      finish({
        end: () => commands.refuseWaiting({ id, error, at: now() }),
        ask: () => commands.ask(id, { status: 'rejected', error, voided: 0 }, now()),
      }),
    /** A caller takes it back. */
    void: ({ projectId, id }: CommandRow): Promise<CommandRow | undefined> =>
      finish({
        end: () => commands.voidAccepted(projectId, id, now()),
        ask: () => commands.ask(id, { status: 'voided', error: null, voided: 0 }, now()),
      }),
  };
};
export type Unsent = ReturnType<typeof createUnsent>;
