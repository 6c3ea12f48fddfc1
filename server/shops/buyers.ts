import { IDENTIFIER_PATTERN, type Player } from '../../bridge-protocol/index.ts';
import type { Namesake } from '../../db/queries/players/find.ts';
import type { ShopLineRow } from '../../db/queries/shop-orders.ts';
import type { Store } from '../../db/store.ts';
import { addressOf, type Session } from '../cluster/router.ts';
import type { Background } from '../platform/background.ts';
import { Newest } from '../platform/windows.ts';

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
const wordsFor = (identifiers: readonly string[]): string[] => [
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

const meantBy = async (
  { players: stored }: Pick<Store, 'players'>,
  { projectId, serverId, buyer }: ShopLineRow,
  kind: string | null,
): Promise<Found> => {
  const players = new Map<string, Namesake>();
  for (const candidate of candidatesOf(buyer?.value ?? '', kind)) {
    if (!IDENTIFIER_PATTERN.test(candidate)) continue;
    const meant = await stored.meant(projectId, serverId, candidate);
    if (meant === 'own') return { target: candidate };
    for (const player of meant) players.set(player.identifier, player);
  }
  const [first, ...others] = players.values();
  if (first === undefined) return 'unknown';
  if (others.length === 0) return { target: first.identifier };
  const online = [...players.values()].find((player) => player.online);
  return online === undefined ? 'waits' : { target: online.identifier };
};

/** Finds the player of a server that a line's buyer means. One who was unknown before has to be online. */
export const findBuyer = async (
  store: Pick<Store, 'players'>,
  line: ShopLineRow,
  kind: string | null,
): Promise<Found> => {
  const found = await meantBy(store, line, kind);
  if (line.unbound === null || typeof found === 'string') return found;
  const states = await store.players.states(line.projectId, line.serverId, [found.target]);
  return states.some(({ online }) => online) ? found : 'unknown';
};

type Reported = Pick<Player, 'identifier' | 'identifiers' | 'online'>;
type Server = Pick<Session, 'projectId' | 'serverId'>;

/** A player who stays online is looked at again after this. */
const SAME_FOR_MS = 60_000;
/** A server without unknown buyers is asked about again after this: less than such a line waits for its second look. */
const NONE_FOR_MS = 5_000;
const REMEMBERED = 50_000;
const WORDS = 500;

/**
 * Wakes lines whose buyer was unknown when a player with the identifier is reported as online; `start` gets their
 * integration.
 */
export const createBinding = (
  store: Pick<Store, 'shopLines'>,
  background: Background,
  start: (integrationId: string) => void,
) => {
  /** Servers and players with the time until which they need no look. */
  const quiet = new Newest<number>(REMEMBERED);
  const same = new Newest<number>(REMEMBERED);
  const isResting = (until = 0): boolean => until > performance.now();

  const nameOf = (address: string, { identifier, identifiers }: Reported): string =>
    `${address} ${JSON.stringify([identifier, ...identifiers])}`;

  const wake = async (server: Server, address: string, players: readonly Reported[]): Promise<void> => {
    if (!(await store.shopLines.hasUnknown(server))) return void quiet.set(address, performance.now() + NONE_FOR_MS);
    const words = [...new Set(players.flatMap((each) => wordsFor([each.identifier, ...each.identifiers])))];
    for (let from = 0; from < words.length; from += WORDS) {
      for (const id of await store.shopLines.wakeUnknown(server, words.slice(from, from + WORDS), Date.now()))
        start(id);
    }
    for (const player of players) same.set(nameOf(address, player), performance.now() + SAME_FOR_MS);
  };

  /** Hears of players that are stored. */
  return (server: Server, players: readonly Reported[]): void => {
    const address = addressOf(server.projectId, server.serverId);
    if (isResting(quiet.get(address))) return;
    const fresh = players.filter((player) => player.online && !isResting(same.get(nameOf(address, player))));
    if (fresh.length > 0) background.run('bind shop orders', () => wake(server, address, fresh));
  };
};
