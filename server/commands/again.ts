import { playerParamOf } from '../../bridge-protocol/index.ts';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import type { Inserted } from '../../db/queries/commands/transitions.ts';
import { isSettled } from '../../db/schema/commands.ts';
import type { Store } from '../../db/store.ts';
import { HubError } from '../platform/errors.ts';
import { derivedCommandId } from '../platform/ids.ts';
import { type CommandRequest, readWish, type Wish } from './catalogue.ts';
import type { createSubmit } from './submit.ts';
import { CREATED_AGAIN, executedOf, isOfEarlierServer } from './view.ts';

/*
 * "Do it again": a command that ended without effect is sent once more, with the same body and for the same player. The hub
 * counts the tries of the first command, so that of several requests at the same moment one is sent.
 */

const MAX_TRIES = 1_000;
/** The shortest time in which a repeated command may be sent. */
const LEAST_MS = 1_000;

const againKey = (id: string, nth: number): string => `again/${id}/${nth}`;

const refusal = ({ id, status }: CommandRow, detail: string): HubError =>
  new HubError('not_repeatable', detail, { command: { id, status } });

/** @throws HubError already_sent: the command has an effect, or may have one */
const assertWithoutEffect = ({ id, status }: CommandRow): void => {
  if (isSettled(status) && executedOf(status) === 'no') return;
  throw new HubError('already_sent', `The command ${id} is ${status}.`, { command: { id, status } });
};

/** @throws HubError not_repeatable: another part of the hub makes such a command again, or its key may hide an effect */
const assertRepeatable = (row: CommandRow): void => {
  if (row.undoes !== null) throw refusal(row, `It is an undo: undo the command ${row.undoes} again.`);
  if (row.batchId !== null) throw refusal(row, 'It belongs to a batch: send a batch for its player, or a new command.');
  if (row.actor.keyId.startsWith('int_')) throw refusal(row, 'It belongs to a shop, whose list of the staff decides.');
  if (row.error?.code === 'fingerprint_mismatch') {
    throw refusal(row, 'The game server knows it with other parameters, so it may have been done. Look into the game.');
  }
};

/** The body of a command, for the player that it was for. @throws HubError not_repeatable */
const wishOf = (row: CommandRow): Wish => {
  const { name, params, target, roles } = row;
  const aimed = target === null ? params : { ...params, [playerParamOf(roles)]: target };
  const read = readWish(name, aimed);
  if ('detail' in read) throw refusal(row, `${read.pointer}: ${read.detail}`);
  return roles === null ? read.wish : ({ ...read.wish, roles } as Wish);
};

/** Sends commands again that had no effect. */
export const createAgain = ({
  store,
  submit,
}: { store: Pick<Store, 'commands' | 'servers'> } & Pick<ReturnType<typeof createSubmit>, 'submit'>) => {
  /** The number of the next try. Each one before has ended without effect. @throws HubError already_sent, not_repeatable */
  const nextOf = async ({ id, projectId, serverId, name }: CommandRow): Promise<number> => {
    for (let nth = 1; nth <= MAX_TRIES; nth += 1) {
      const key = againKey(id, nth);
      const made = await store.commands.get(projectId, derivedCommandId(projectId, serverId, name, key));
      if (made === undefined) return nth;
      assertWithoutEffect(made);
      assertRepeatable(made);
    }
    throw new HubError('refused', `It was sent ${MAX_TRIES} times.`);
  };

  return {
    /**
     * Sends a command again. A repeat is counted with the command that was the first. @throws HubError already_sent,
     * not_repeatable, or why it could not be sent
     */
    again: async (
      command: CommandRow,
      request: Pick<CommandRequest, 'project' | 'actor' | 'canSeePlayers' | 'requestId' | 'waitMs'>,
    ): Promise<Inserted> => {
      const { projectId, repeats } = command;
      const first = (repeats === null ? undefined : await store.commands.get(projectId, repeats)) ?? command;
      assertRepeatable(first);
      assertWithoutEffect(first);
      assertWithoutEffect(command);
      if (await isOfEarlierServer(store, first)) throw refusal(first, CREATED_AGAIN);
      const { serverId, deliver, createdAt, deliverUntil, expiresAt } = first;
      const nth = await nextOf(first);
      const sentWithinMs = Math.max(LEAST_MS, (deliverUntil ?? expiresAt) - createdAt);
      return submit({
        ...wishOf(first),
        ...request,
        serverId,
        idempotencyKey: againKey(first.id, nth),
        deliver: deliver === null || deliver === 'now' ? undefined : deliver,
        expiresAt: Date.now() + sentWithinMs,
        repeats: first.id,
      });
    },
  };
};
