import type { Players } from './players.ts';

type Body = { x: number; y: number; z: number; isFrozen: boolean; health: number };
type State = Map<string, Map<string, unknown>>;

const FULL_HEALTH = 200;
/** A body is told apart from a player by its number. */
const bodyOf = (source: unknown): number => 1000 + Number(source);

/**
 * The players' bodies as a server with OneSync knows them. Checked against `ServerGameState_Scripting.cpp` and
 * `rpc_spec_natives.lua` of citizenfx/fivem at 06d4d348c: the server reads positions, health and frozen bodies from what the
 * players' games send, and passes `SET_ENTITY_COORDS` and `FREEZE_ENTITY_POSITION` on to them. So an effect is seen later,
 * and never if the game does not obey. Its state bags are read by all resources.
 */
export const createBodies = ({ players, isObeyed }: { players: Players; isObeyed: () => boolean }) => {
  const bodies = new Map<number, Body>();
  const states: State = new Map();
  const look = (ped: unknown): Body | undefined => {
    if (players.get(Number(ped) - bodyOf(0)) === undefined) return undefined;
    const body = bodies.get(Number(ped)) ?? { x: 0, y: 0, z: 70, isFrozen: false, health: FULL_HEALTH };
    bodies.set(Number(ped), body);
    return body;
  };
  const tell = (ped: unknown, change: Partial<Body>): void => {
    const body = look(ped);
    if (body === undefined) throw new Error(`there is no entity ${String(ped)}`);
    if (isObeyed()) setTimeout(() => Object.assign(body, change), 20);
  };
  const natives: Record<string, (...args: never[]) => unknown> = {
    GetPlayerPed: (source: unknown) => (players.get(source) === undefined ? 0 : bodyOf(source)),
    GetEntityCoords: (ped: unknown) => {
      const { x, y, z } = look(ped) ?? { x: 0, y: 0, z: 0 };
      return { x, y, z };
    },
    SetEntityCoords: (ped: unknown, x: number, y: number, z: number) => tell(ped, { x, y, z: z + 1 }),
    FreezeEntityPosition: (ped: unknown, isFrozen: boolean) => tell(ped, { isFrozen }),
    IsEntityPositionFrozen: (ped: unknown) => look(ped)?.isFrozen ?? false,
    GetEntityHealth: (ped: unknown) => look(ped)?.health ?? 0,
    GetEntityMaxHealth: (ped: unknown) => (look(ped) === undefined ? 0 : FULL_HEALTH),
    GetStateBagValue: (bag: string, key: string) => states.get(bag)?.get(key) ?? null,
  };
  return {
    natives,
    /** As a player's own game has it. */
    of: (source: number): Body => {
      const body = look(bodyOf(source));
      if (body === undefined) throw new Error(`no player has the id ${source}`);
      return body;
    },
    setState: (source: number, key: string, value: unknown): void => {
      const bag = states.get(`player:${source}`) ?? new Map<string, unknown>();
      states.set(`player:${source}`, bag.set(key, value));
    },
  };
};
