import * as z from 'zod/mini';
import { LIMITS } from './limits.ts';
import { count, text } from './player.ts';

const name = text(LIMITS.itemNameLength).check(z.minLength(1));

/** The kinds of catalogues. `vehicles` lists models. */
export const CATALOGUE_KINDS = ['items', 'vehicles', 'jobs'] as const;
export type CatalogueKind = (typeof CATALOGUE_KINDS)[number];

/** One thing of a game that commands name. */
export const catalogueEntry = z.object({
  name,
  label: text(LIMITS.itemNameLength),
  /** Of jobs only. */
  grades: z.optional(
    z.array(z.object({ grade: count, label: text(LIMITS.itemNameLength) })).check(z.maxLength(LIMITS.gradesPerJob)),
  ),
});
export type CatalogueEntry = z.infer<typeof catalogueEntry>;

/** One part of a catalogue. A part that is not one more than the part before ends the catalogue. */
export const catalogue = z.object({
  type: z.literal('catalogue'),
  kind: z.enum(CATALOGUE_KINDS),
  hash: text(64).check(z.minLength(1)),
  part: count,
  last: z.boolean(),
  entries: z.array(catalogueEntry).check(z.maxLength(LIMITS.entriesPerFrame)),
});

/** The hashes of the catalogues that the hub has, by kind; a newer hub may have more kinds. */
export const knownCatalogues = z.record(text(64), text(64));
