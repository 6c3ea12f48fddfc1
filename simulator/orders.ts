import type { Outcome } from '../bridge-protocol/journal/journal.ts';
import type { CommandName, CommandParams } from '../bridge-protocol/wire/commands.ts';
import type { CommandError } from '../bridge-protocol/wire/messages.ts';
import type { Player } from '../bridge-protocol/wire/player.ts';
import type { Editor, WorldEdit } from './edit.ts';
import { moveVehicle } from './garage.ts';
import { moveItems } from './inventories.ts';
import type { WorldJournal } from './journal.ts';
import type { Meta } from './meta.ts';
import type { Population } from './population.ts';
import { changeState, moveTo, setJob } from './staff.ts';

type Context = { id: string; fingerprint: string };
/** Each command at once: a world waits for nothing. */
type Handlers = { readonly [N in CommandName]: (params: CommandParams<N>, context: Context) => Outcome };

/** Steps of life for which a kicked player stays away. */
const AWAY_STEPS = 90;

const rejected = (error: CommandError): Outcome => ({ status: 'rejected', error });
const unknown = (target: string): Outcome =>
  rejected({ code: 'player_not_found', message: `This game server does not know the player ${target}.` });

const offline = (target: string): Outcome => rejected({ code: 'player_offline', message: `${target} is not online.` });

/**
 * Carries out commands in a world. Each command and its journal entry are one transaction. A target is found only by
 * the player's own identifier.
 */
export const createOrders = ({
  editor,
  journal,
  meta,
  population,
}: {
  editor: Editor;
  journal: WorldJournal;
  meta: Meta;
  population: Pick<Population, 'count'>;
}) => {
  const answered = ({ id, fingerprint }: Context): Outcome | undefined => {
    const entry = journal.get(id);
    if (entry === undefined || entry.status === 'started') return undefined;
    // A tombstone has no fingerprint: it was written before the command arrived.
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

  const carry = (edit: WorldEdit, player: Player, params: CommandParams<'items'>): Outcome => {
    const moved = moveItems(player.inventory, params);
    if ('error' in moved) return rejected(moved.error);
    const { inventory, ...numbers } = moved;
    edit.setInventory(player.identifier, inventory);
    return { status: 'done', data: { item: params.item, ...numbers } };
  };

  const remove = (edit: WorldEdit, { target, reason }: CommandParams<'kick'>): Outcome => {
    const presence = edit.presence(target);
    if (presence === undefined) return unknown(target);
    if (!presence.online) return offline(target);
    edit.leave(target, meta.number('step') + AWAY_STEPS);
    return { status: 'done', data: { kicked: true, reason } };
  };

  /** Runs a command at most once per id: a settled id is answered from the journal. */
  const once = (context: Context, work: (edit: WorldEdit) => Outcome): Outcome =>
    editor.transact((edit) => {
      const before = answered(context);
      if (before !== undefined) return before;
      if (journal.get(context.id) === undefined) journal.start(context.id, context.fingerprint);
      const outcome = work(edit);
      journal.settle(context.id, outcome);
      return outcome;
    });

  /** Changes a balance. Offline players can be paid too, because the world owns its file. */
  const money = (params: CommandParams<'money'>, context: Context): Outcome =>
    once(context, (edit) => pay(edit, params, context.id));

  /** A journaled command for a player, online or not. */
  const journaled =
    <P extends { target: string }>(work: (edit: WorldEdit, player: Player, params: P) => Outcome) =>
    (params: P, context: Context): Outcome =>
      once(context, (edit) => {
        const player = edit.player(params.target);
        return player === undefined ? unknown(params.target) : work(edit, player, params);
      });

  /** A command without a lasting effect, for a player who is online. */
  const acted =
    <P extends { target: string }>(work: (edit: WorldEdit, player: Player, params: P) => Outcome) =>
    (params: P): Outcome =>
      editor.transact((edit) => {
        const player = edit.player(params.target);
        if (player === undefined) return unknown(params.target);
        return player.online ? work(edit, player, params) : offline(params.target);
      });

  const healed = acted((edit, player) => changeState(edit, player, { isDead: false, health: 200 }, {}));

  /** Takes an online player off the server, and settles the journal entry if the bridge has one for this kick. */
  const kick = (params: CommandParams<'kick'>, { id }: Context): Outcome =>
    editor.transact((edit) => {
      const outcome = remove(edit, params);
      if (journal.get(id)?.status === 'started') journal.settle(id, outcome);
      return outcome;
    });

  /** Counts the players whom it reaches: the chosen ones who are online, or all. */
  const announce = ({ targets }: CommandParams<'announce'>): Outcome => {
    const reached =
      targets && editor.transact((edit) => targets.filter((each) => edit.presence(each)?.online === true));
    const players = reached?.length ?? population.count().online;
    return { status: 'done', data: { confirmedBy: 'server', players } };
  };

  const commands: Handlers = {
    kick,
    money,
    items: journaled(carry),
    vehicles: journaled(moveVehicle),
    job: journaled(setJob),
    announce,
    message: acted(() => ({ status: 'done', data: { confirmedBy: 'server' } })),
    revive: healed,
    heal: healed,
    freeze: acted((edit, player, { frozen }: CommandParams<'freeze'>) =>
      changeState(edit, player, { frozen }, { frozen }),
    ),
    teleport: acted(moveTo),
  };

  return { once, commands };
};
