import { IDENTIFIER_PATTERN } from '../../bridge-protocol/index.ts';
import type { Namesake } from '../../db/queries/players/find.ts';
import type { ShopLineRow } from '../../db/queries/shop-lines.ts';
import type { Store } from '../../db/store.ts';

/** Kinds of identifiers that a shop may send without their prefix. Never `ip`, which players share. */
const KINDS = ['fivem', 'license', 'license2', 'steam', 'discord', 'xbl', 'live'];
/** A SteamID64 in digits; game servers write it in hexadecimal. */
const STEAM_DIGITS = /^7656\d{13}$/;

/** The identifiers that a shop's value can mean. */
const candidatesOf = (value: string, kind: string | null): string[] => {
  const steam = STEAM_DIGITS.test(value) ? [`steam:${BigInt(value).toString(16)}`] : [];
  if (kind !== null) return value.includes(':') ? [value] : [`${kind}:${value}`, ...(kind === 'steam' ? steam : [])];
  return value.includes(':') ? [value] : [value, ...KINDS.map((each) => `${each}:${value}`), ...steam];
};

/** The identifier that a line with an unknown buyer waits for. */
export const awaitedOf = (value: string, kind: string | null): string =>
  kind === null || value.includes(':') ? value : `${kind}:${value}`;

/** Everything that a shop may send and that means a player with one of these identifiers. */
export const wordsFor = (identifiers: readonly string[]): string[] => [
  ...new Set(
    identifiers.flatMap((identifier) => {
      const [kind = '', value] = identifier.split(/:(.*)/s, 2);
      if (value === undefined || !KINDS.includes(kind)) return [identifier];
      const isSteam = kind === 'steam' && /^[0-9a-f]{1,16}$/.test(value);
      const digits = isSteam ? [String(BigInt(`0x${value}`))] : [];
      return [identifier, value, ...digits, ...digits.map((each) => `steam:${each}`)];
    }),
  ),
];

/** `waits`: several characters belong to the buyer, and none of them is online. */
type Found = { target: string } | 'unknown' | 'waits';

/** Finds the player of a server that a buyer means. One who was unknown before has to be online. */
export const createBuyers = ({ store }: { store: Pick<Store, 'players'> }) => {
  const isOnline = async ({ projectId, serverId }: ShopLineRow, identifier: string): Promise<boolean> =>
    (await store.players.states(projectId, serverId, [identifier])).some(({ online }) => online);

  const meantBy = async ({ projectId, serverId, buyer }: ShopLineRow, kind: string | null): Promise<Found> => {
    const players = new Map<string, Namesake>();
    for (const candidate of candidatesOf(buyer?.value ?? '', kind)) {
      if (!IDENTIFIER_PATTERN.test(candidate)) continue;
      const meant = await store.players.meant(projectId, serverId, candidate);
      if (meant === 'own') return { target: candidate };
      for (const player of meant) players.set(player.identifier, player);
    }
    const [first, ...others] = players.values();
    if (first === undefined) return 'unknown';
    if (others.length === 0) return { target: first.identifier };
    const online = [...players.values()].find((player) => player.online);
    return online === undefined ? 'waits' : { target: online.identifier };
  };

  return async (line: ShopLineRow, kind: string | null): Promise<Found> => {
    const found = await meantBy(line, kind);
    if (line.unbound === null || typeof found === 'string') return found;
    return (await isOnline(line, found.target)) ? found : 'unknown';
  };
};
export type Buyers = ReturnType<typeof createBuyers>;
