import { fold } from '../../bridge-protocol/fold.ts';
import { type CatalogueKind, type CustomRoles, isCustomName, nameOfCustom } from '../../bridge-protocol/index.ts';
import type { ShopLineRow } from '../../db/queries/shop-lines.ts';
import type { Commands } from '../commands/commands.ts';
import type { Catalogues, Searched } from '../panel/catalogues.ts';
import { type ErrorCode, HubError } from '../platform/errors.ts';

/** A doubt about a command that the hub would make: the game server decides. */
export type Hint = { code: ErrorCode; detail: string };

/** A thing of the game that a command names. */
type Named = { kind: CatalogueKind; word: string; grade?: number };

const UNKNOWN: Record<CatalogueKind, { code: ErrorCode; list: string }> = {
  items: { code: 'unknown_item', list: 'items' },
  vehicles: { code: 'unknown_model', list: 'vehicle models' },
  jobs: { code: 'unknown_job', list: 'jobs' },
};

const named = (kind: CatalogueKind, word: unknown): Named | undefined =>
  typeof word === 'string' ? { kind, word } : undefined;

const namedBy = ({ name, params }: ShopLineRow, roles: CustomRoles | undefined): Named | undefined => {
  const given = params ?? {};
  if (name === 'items') return named('items', given['item']);
  if (name === 'vehicles') return named('vehicles', given['model']);
  if (name !== 'job') return roles?.item === undefined ? undefined : named('items', given[roles.item]);
  const job = named('jobs', given['job']);
  return job && { ...job, grade: Number(given['grade']) };
};

/** Games read the names of models in any case, and other names as they are. */
const find = (entries: readonly Searched[], { kind, word }: Named): Searched | undefined => {
  const folded = fold(word);
  return entries.find(({ entry, name }) => (kind === 'vehicles' ? name === folded : entry.name === word));
};

const hintsOf = (thing: Named, entries: readonly Searched[]): Hint[] => {
  const { kind, word, grade } = thing;
  const { code, list } = UNKNOWN[kind];
  const found = find(entries, thing);
  if (found === undefined) return [{ code, detail: `The list of ${list} that the game server sent has no "${word}".` }];
  const { grades } = found.entry;
  if (grades === undefined || grades.some((each) => each.grade === grade)) return [];
  const detail = `In the list of jobs that the game server sent, "${word}" has no grade ${grade}.`;
  return [{ code: 'unknown_grade', detail }];
};

/** Compares what commands name with the catalogues of their game server. */
export const createHints = ({ catalogues, customOf }: { catalogues: Catalogues; customOf: Commands['customOf'] }) => {
  /** The roles of a custom command's parameters; undefined while they are not known. */
  const rolesOf = async ({ projectId, serverId, name }: ShopLineRow): Promise<CustomRoles | undefined> => {
    if (name === null || !isCustomName(name)) return undefined;
    try {
      return (await customOf({ projectId, serverId }))?.get(nameOfCustom(name))?.roles;
    } catch (error) {
      if (error instanceof HubError) return undefined;
      throw error;
    }
  };

  /** Hints at a name that the stored catalogue lacks. @throws HubError rate_limited */
  return async (line: ShopLineRow): Promise<Hint[]> => {
    const thing = namedBy(line, await rolesOf(line));
    if (thing === undefined) return [];
    const { projectId, serverId } = line;
    const { entries } = await catalogues.get({ projectId, serverId, kind: thing.kind });
    // A game server that sends no list may have everything.
    return entries.length === 0 ? [] : hintsOf(thing, entries);
  };
};
export type Hints = ReturnType<typeof createHints>;
