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

/** `waits`: several characters belong to the buyer, and none of them is online. */
type Found = { target: string } | 'unknown' | 'waits';

/** Finds the player of a server that a buyer means. */
export const createBuyers =
  ({ store }: { store: Pick<Store, 'players'> }) =>
  async ({ projectId, serverId, buyer }: ShopLineRow, kind: string | null): Promise<Found> => {
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
export type Buyers = ReturnType<typeof createBuyers>;
