import type { Bridge, CataloguesSource } from '../bridge-protocol/client/options.ts';
import { LIMITS } from '../bridge-protocol/wire/limits.ts';
import type { CatalogueEntry, CatalogueKind } from '../bridge-protocol/wire/messages.ts';
import { ask, type Description, watchCatalogues } from './adapter.ts';
import { nextTick, SLICE_MS } from './pace.ts';
import { clipped, fieldsOf, listOf } from './records.ts';

/** Entries that are sorted in one turn. */
const RUN = 500;

type Keyed = { entry: CatalogueEntry; key: string };

/** A label is shown to people in one line. */
const labelOf = (value: unknown, otherwise: string): string => {
  const text = clipped(value, LIMITS.itemNameLength * 2)
    .replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim();
  return clipped(text === '' ? otherwise : text, LIMITS.itemNameLength);
};

const gradeOf = (value: unknown): { grade: number; label: string }[] => {
  const { grade, label } = fieldsOf(value);
  if (typeof grade !== 'number' || !Number.isSafeInteger(grade) || grade < 0) return [];
  return [{ grade, label: labelOf(label, String(grade)) }];
};

/** An entry as the adapter read it, cut to the limits of the protocol; none if commands could not name it. */
const entryOf = (value: unknown): CatalogueEntry[] => {
  const { name, label, grades } = fieldsOf(value);
  if (typeof name !== 'string' || name === '' || name.length > LIMITS.itemNameLength) return [];
  const entry = { name, label: labelOf(label, name) };
  if (grades === undefined) return [entry];
  return [{ ...entry, grades: listOf(grades).flatMap(gradeOf).slice(0, LIMITS.gradesPerJob) }];
};

const isAfter = (one: Keyed, other: Keyed): boolean =>
  one.key === other.key ? one.entry.name > other.entry.name : one.key > other.key;

/** Two sorted lists as one, a little in each turn. */
const merged = async (ones: readonly Keyed[], others: readonly Keyed[]): Promise<Keyed[]> => {
  const all: Keyed[] = [];
  let since = performance.now();
  for (let i = 0, j = 0; i < ones.length || j < others.length; ) {
    const one = ones[i];
    const other = others[j];
    if (one !== undefined && (other === undefined || !isAfter(one, other))) {
      all.push(one);
      i += 1;
    } else if (other !== undefined) {
      all.push(other);
      j += 1;
    }
    if (performance.now() - since < SLICE_MS) continue;
    await nextTick();
    since = performance.now();
  }
  return all;
};

/** Merges sorted runs until one is left. */
const sorted = async (runs: readonly Keyed[][]): Promise<Keyed[]> => {
  let left = [...runs];
  while (left.length > 1) {
    const next: Keyed[][] = [];
    for (let n = 0; n < left.length; n += 2) next.push(await merged(left[n] ?? [], left[n + 1] ?? []));
    left = next;
  }
  return left[0] ?? [];
};

/** All entries of a catalogue by label, each name once. Reads a little in each tick of the game server. */
const readCatalogue = async (kind: CatalogueKind): Promise<CatalogueEntry[]> => {
  const known = new Set<string>();
  const runs: Keyed[][] = [];
  let run: Keyed[] = [];
  const close = (): void => {
    runs.push(run.sort((one, other) => (isAfter(one, other) ? 1 : -1)));
    run = [];
  };
  for (let isFirst = true, isLast = false; !isLast; isFirst = false) {
    await nextTick();
    const slice = await ask('catalogue', kind, isFirst, SLICE_MS);
    isLast = slice.isLast;
    for (const entry of listOf(slice.entries).flatMap(entryOf)) {
      if (known.has(entry.name)) continue;
      known.add(entry.name);
      run.push({ entry, key: entry.label.toLowerCase() });
      if (run.length >= RUN) close();
    }
  }
  close();
  return (await sorted(runs)).map(({ entry }) => entry);
};

/** The catalogues of the adapter for the hub. */
export const cataloguesSource = ({ catalogues }: Pick<Description, 'catalogues'>): CataloguesSource =>
  Object.fromEntries(catalogues.map((kind) => [kind, () => readCatalogue(kind)]));

/** Has the catalogues read again when the framework announces changes. */
export const reportCatalogues = (bridge: Pick<Bridge, 'cataloguesChanged'>): void =>
  watchCatalogues(() => bridge.cataloguesChanged());
