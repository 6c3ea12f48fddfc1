import { rejected } from '../bridge-protocol/client/handlers.ts';
import type { Outcome } from '../bridge-protocol/journal/journal.ts';
import type { CommandParams } from '../bridge-protocol/wire/commands.ts';
import type { Player } from '../bridge-protocol/wire/player.ts';
import type { WorldEdit } from './edit.ts';
import { GRADES, JOBS } from './goods.ts';

const heldBy = ({ metadata }: Player) => ({
  job: String(metadata['job'] ?? 'unemployed'),
  grade: Number(metadata['jobGrade'] ?? 0),
});

/** Sets the job of a player, also of one who is away. */
export const setJob = (edit: WorldEdit, player: Player, { job, grade }: CommandParams<'job'>): Outcome => {
  const known = JOBS.find((each) => each.job === job);
  if (known === undefined) return rejected('unknown_job', `This server has no job "${job}".`);
  if (grade >= GRADES.length)
    return rejected('unknown_grade', `The job "${job}" has the grades 0 to ${GRADES.length - 1}.`);
  const metadata = { ...player.metadata, job, jobLabel: known.jobLabel, jobGrade: grade };
  edit.setMetadata(player.identifier, metadata);
  return { status: 'done', data: { before: heldBy(player), after: { job, grade } } };
};

/** Changes the state of an online player, and reads it back. */
export const changeState = (
  edit: WorldEdit,
  player: Player,
  change: Record<string, unknown>,
  told: object,
): Outcome => {
  edit.setMetadata(player.identifier, { ...player.metadata, ...change });
  return { status: 'done', data: { confirmedBy: 'server', ...told } };
};

const NOWHERE = { x: 0, y: 0, z: 0 };

/** Moves an online player to a place, or to another online player. */
export const moveTo = (edit: WorldEdit, player: Player, { to }: CommandParams<'teleport'>): Outcome => {
  if (!('player' in to)) return changeState(edit, player, { position: to }, { position: to });
  const other = edit.player(to.player);
  if (other === undefined)
    return rejected('player_not_found', `This game server does not know the player ${to.player}.`);
  if (!other.online) return rejected('player_offline', `${to.player} is not online.`);
  const position = other.metadata['position'] ?? NOWHERE;
  return changeState(edit, player, { position }, { position });
};
