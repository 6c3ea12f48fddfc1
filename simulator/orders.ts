import type { Outcome } from '../bridge-protocol/journal/journal.ts';
import type { CommandParams } from '../bridge-protocol/wire/commands.ts';
import type { CommandError } from '../bridge-protocol/wire/messages.ts';
import type { Editor, WorldEdit } from './edit.ts';
import type { WorldJournal } from './journal.ts';
import type { Meta } from './meta.ts';

type Context = { id: string; fingerprint: string };

/** Steps of life for which a kicked player stays away. */
const AWAY_STEPS = 90;

const rejected = (error: CommandError): Outcome => ({ status: 'rejected', error });
const unknown = (target: string): Outcome =>
  rejected({ code: 'player_not_found', message: `Nobody in this world is ${target}.` });

/**
 * What a world does when it is told to. Each command is one transaction together with its journal entry; a target is
 * found by its own identifier only.
 */
export const createOrders = ({ editor, journal, meta }: { editor: Editor; journal: WorldJournal; meta: Meta }) => {
  const answered = ({ id, fingerprint }: Context): Outcome | undefined => {
    const entry = journal.get(id);
    if (entry === undefined || entry.status === 'started') return undefined;
    // A tombstone has no fingerprint: it was made before anybody saw the command.
    if (entry.fingerprint !== '' && entry.fingerprint !== fingerprint) {
      return rejected({ code: 'fingerprint_mismatch', message: `${id} was another command before.` });
    }
    return entry.outcome ?? { status: entry.status };
  };

  const pay = (edit: WorldEdit, params: CommandParams<'money'>, commandId: string): Outcome => {
    const { target: identifier, type: account, amount, action, allowNegative } = params;
    if (edit.presence(identifier) === undefined) return unknown(identifier);
    const delta = action === 'add' ? amount : -amount;
    const moved = edit.move({ identifier, account, delta, allowNegative, commandId, reason: 'command' });
    return 'error' in moved ? rejected(moved.error) : { status: 'done', data: { account, ...moved } };
  };

  const remove = (edit: WorldEdit, { target, reason }: CommandParams<'kick'>): Outcome => {
    const presence = edit.presence(target);
    if (presence === undefined) return unknown(target);
    if (!presence.online) return rejected({ code: 'player_offline', message: `${target} is not online.` });
    edit.leave(target, meta.number('step') + AWAY_STEPS);
    return { status: 'done', data: { kicked: true, reason } };
  };

  /** Does something at most once per command id: a settled id is answered from the journal. */
  const once = (context: Context, work: (edit: WorldEdit) => Outcome): Outcome =>
    editor.transact((edit) => {
      const before = answered(context);
      if (before !== undefined) return before;
      if (journal.get(context.id) === undefined) journal.start(context.id, context.fingerprint);
      const outcome = work(edit);
      journal.settle(context.id, outcome);
      return outcome;
    });

  /** Changes a balance. Offline players are paid as well, because the world owns its file. */
  const money = (params: CommandParams<'money'>, context: Context): Outcome =>
    once(context, (edit) => pay(edit, params, context.id));

  /** Takes an online player off the server, and settles the journal entry where the bridge keeps one for it. */
  const kick = (params: CommandParams<'kick'>, { id }: Context): Outcome =>
    editor.transact((edit) => {
      const outcome = remove(edit, params);
      if (journal.get(id)?.status === 'started') journal.settle(id, outcome);
      return outcome;
    });

  return { once, commands: { kick, money } };
};
