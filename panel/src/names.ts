import type { Player, PlayerSummary, Schemas } from './api.ts';

/** A name, or what is there instead of one that is empty or blank. */
const nameOr = (name: string, other: string): string => (name.trim() === '' ? other : name);

const labelled = <T extends { name: string; label: string }>(thing: T): T => ({
  ...thing,
  label: nameOr(thing.label, thing.name),
});

/** A player with a name that can be seen, whatever the game has. */
export const namedPlayer = <P extends PlayerSummary>(player: P): P => ({
  ...player,
  name: nameOr(player.name, player.identifier),
  job: player.job && labelled(player.job),
});

/** The same of the whole record, and of the things in it. */
export const namedRecord = (player: Player): Player => ({
  ...namedPlayer(player),
  alsoKnown: player.alsoKnown.map((other) => ({ ...other, name: nameOr(other.name, other.identifier) })),
  inventory: player.inventory.map(labelled),
  vehicles: player.vehicles.map((vehicle) => ({ ...vehicle, label: nameOr(vehicle.label, vehicle.model) })),
});

/** Entries of a catalogue with labels that can be seen. */
export const namedEntry = (entry: Schemas['CatalogueEntry']): Schemas['CatalogueEntry'] => ({
  ...labelled(entry),
  ...(entry.grades !== undefined && {
    grades: entry.grades.map(({ grade, label }) => ({ grade, label: nameOr(label, String(grade)) })),
  }),
});
