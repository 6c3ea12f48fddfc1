import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Player } from '../../../bridge-protocol/wire/player.ts';
import type { Database } from '../../port/database.ts';
import { searchFields } from '../../schema/text.ts';
import { bound } from '../expressions.ts';
import { canBeTaken, isSamePerson } from './linked.ts';
import type { Address, Stored } from './records.ts';

/**
 * A report of a player: as it came, as it is stored, and the row before it. Without a hash, the next report of the player is
 * written and looked at whatever it says.
 */
export type Report = { reported: Player; player: Player; before: Stored | undefined; contentHash: string | null };

/** Linked identifiers that the first snapshot of a server has shown so far: all others have no holder yet. */
export type Shown = Set<string>;

/** `shown`: of the first snapshot of a server. A snapshot has too many players to look for stored doubles of each. */
export type Origin = { isSnapshot?: boolean; shown?: Shown | undefined };

/**
 * The identifiers of a report that its row did not have; all of them if another player had one of them at that time, or if
 * the player comes online: so a double that is stored already ends, too.
 */
const newIn = ({ reported, before }: Report, { isSnapshot = false }: Origin): string[] => {
  const comes = !isSnapshot && reported.online && before?.online === false;
  const isFresh = before === undefined || before.contentHash === null || comes;
  const known = isFresh ? [] : before.identifiers;
  return reported.identifiers.filter((identifier) => canBeTaken(identifier) && !known.includes(identifier));
};

/** The player who newly shows each identifier: online players before others, of them the last. */
const claimsIn = (reports: readonly Report[], origin: Origin): Map<string, Player> => {
  const { shown } = origin;
  const claims = new Map<string, Player>();
  for (const online of [false, true]) {
    for (const report of reports) {
      if (report.reported.online !== online) continue;
      for (const identifier of newIn(report, origin)) {
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

  /**
   * Before the reports are written, so that they make the same claims again if this fails. Returns what to write: of two
   * reports with one identifier, too, only one keeps it.
   */
  return async (address: Address, reports: readonly Report[], origin: Origin): Promise<readonly Report[]> => {
    const claims = claimsIn(reports, origin);
    if (claims.size === 0) return reports;
    const contested = new Set<string>();
    const keptOf = (row: Pick<Player, 'identifier' | 'identifiers'>): string[] =>
      row.identifiers.filter((linked) => {
        const claimant = claims.get(linked);
        if (claimant === undefined || claimant.identifier === row.identifier) return true;
        if (isSamePerson(claimant.identifiers, row.identifiers)) return true;
        // The person behind an absent player is not known: the next one of the two who plays has it.
        if (!claimant.online) for (const either of [claimant, row]) contested.add(either.identifier);
        return !claimant.online;
      });
    const kept = reports.map((report): Report => {
      const links = keptOf(report.player);
      if (links.length === report.player.identifiers.length) return report;
      return { ...report, player: { ...report.player, identifiers: links }, contentHash: null };
    });
    const reported = new Set(reports.map(({ player }) => player.identifier));
    const values = { ...address, ...search.linked.anyOf([...claims.keys()]) };
    for (const row of await read(() => holders(values))) {
      if (reported.has(row.identifier)) continue;
      const links = keptOf(row);
      if (links.length === row.identifiers.length) continue;
      const { searchMarks } = searchFields({ identifier: row.identifier, identifiers: links, vehicles: [] });
      await commit(() => keep({ id: row.id, identifiers: links, searchMarks }));
    }
    if (contested.size > 0) await commit(() => lookAgain(address, contested));
    return kept.map((report) => (contested.has(report.player.identifier) ? { ...report, contentHash: null } : report));
  };
};
