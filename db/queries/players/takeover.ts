import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Player } from '../../../bridge-protocol/wire/player.ts';
import type { Database } from '../../port/database.ts';
import { searchFields } from '../../schema/text.ts';
import { bound } from '../expressions.ts';
import { canBeTaken, isSamePerson } from './linked.ts';
import type { Address, Stored } from './records.ts';

/** A report of a player: as it came, as it is stored, and the row before it. */
export type Report = { reported: Player; player: Player; before: Stored | undefined };

/** Linked identifiers that the first snapshot of a server has shown so far: all others have no holder yet. */
export type Shown = Set<string>;

/** The identifiers of a report that its row did not have; all of them if another player had one of them at that time. */
const newIn = ({ reported, before }: Report): string[] => {
  const known = before === undefined || before.contentHash === null ? [] : before.identifiers;
  return reported.identifiers.filter((identifier) => canBeTaken(identifier) && !known.includes(identifier));
};

/** The player who newly shows each identifier: online players before others, of them the last. */
const claimsIn = (reports: readonly Report[], shown: Shown | undefined): Map<string, Player> => {
  const claims = new Map<string, Player>();
  for (const online of [false, true]) {
    for (const report of reports) {
      if (report.reported.online !== online) continue;
      for (const identifier of newIn(report)) {
        if (shown === undefined || shown.has(identifier)) claims.set(identifier, report.player);
        shown?.add(identifier);
      }
    }
  }
  return claims;
};

/** Gives linked identifiers to the player who plays with them now, and takes them from other people's characters. */
export const playerTakeover = ({
  handle,
  tables: { players },
  search,
  prepare,
  prepareChange,
  read,
  commit,
}: Database) => {
  const { id, identifier, identifiers } = players;
  const holders = prepare(
    'players.holders',
    () => {
      const ofServer = [
        eq(players.projectId, sql.placeholder('projectId')),
        eq(players.serverId, sql.placeholder('serverId')),
      ];
      return handle
        .select({ id, identifier, identifiers })
        .from(players)
        .where(sql`${id} in (select ${id} from ${search.linked.anyRows(ofServer)})`);
    },
    'anew',
  );
  const keep = prepareChange('players.keepLinks', () =>
    handle
      .update(players)
      .set({
        identifiers: bound(identifiers, 'identifiers'),
        searchMarks: bound(players.searchMarks, 'searchMarks'),
        contentHash: sql`null`,
      })
      .where(eq(id, sql.placeholder('id'))),
  );
  /** The next reports of these players are written and looked at whatever they say. */
  const lookAgain = ({ projectId, serverId }: Address, contested: ReadonlySet<string>) =>
    handle
      .update(players)
      .set({ contentHash: null })
      .where(
        and(eq(players.projectId, projectId), eq(players.serverId, serverId), inArray(identifier, [...contested])),
      );

  return async (address: Address, reports: readonly Report[], shown?: Shown): Promise<void> => {
    const claims = claimsIn(reports, shown);
    if (claims.size === 0) return;
    const contested = new Set<string>();
    const values = { ...address, ...search.linked.anyOf([...claims.keys()]) };
    for (const row of await read(() => holders(values))) {
      const kept = row.identifiers.filter((linked) => {
        const claimant = claims.get(linked);
        if (claimant === undefined || claimant.identifier === row.identifier) return true;
        if (isSamePerson(claimant.identifiers, row.identifiers)) return true;
        // The person behind an absent player is not known: the next one of the two who plays has it.
        if (!claimant.online) for (const either of [claimant, row]) contested.add(either.identifier);
        return !claimant.online;
      });
      if (kept.length === row.identifiers.length) continue;
      const { searchMarks } = searchFields({ identifier: row.identifier, identifiers: kept, vehicles: [] });
      await commit(() => keep({ id: row.id, identifiers: kept, searchMarks }));
    }
    if (contested.size > 0) await commit(() => lookAgain(address, contested));
  };
};
