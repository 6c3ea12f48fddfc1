import { rejected } from '../bridge-protocol/client/handlers.ts';
import { createCustomCommands } from '../bridge-protocol/custom/commands.ts';
import { amountOf, withAmount } from './activities.ts';
import { ITEMS } from './goods.ts';
import type { World } from './world.ts';

const ANNOUNCE = {
  type: 'object',
  properties: { message: { type: 'string', minLength: 1, maxLength: 256 } },
  required: ['message'],
  additionalProperties: false,
};

const GIVE_ITEM = {
  type: 'object',
  properties: {
    target: { type: 'string' },
    item: { type: 'string', maxLength: 64 },
    count: { type: 'integer', minimum: 1, maximum: 100 },
    reason: { type: 'string', maxLength: 200 },
  },
  required: ['target', 'item', 'count'],
  additionalProperties: false,
};
const GIVE_ITEM_ROLES = { player: 'target', item: 'item', amount: 'count', reason: 'reason' };

/** The custom commands of a world, as resources of a game server would register them. */
export const createWorldCommands = (world: Pick<World, 'once' | 'count'>) => {
  const commands = createCustomCommands();

  commands.register({
    name: 'announce',
    description: 'Shows a message to all players',
    params: ANNOUNCE,
    handler: (_params, context) =>
      world.once(context, () => ({ status: 'done', data: { players: world.count().online } })),
  });

  commands.register({
    name: 'give_item',
    description: 'Puts items into the inventory of a player',
    params: GIVE_ITEM,
    roles: GIVE_ITEM_ROLES,
    handler: ({ item, count }, context) =>
      world.once(context, (edit) => {
        const player = edit.player(context.target ?? '');
        if (player === undefined) return rejected('player_not_found', 'This game server does not know this player.');
        if (!ITEMS.some(({ name }) => name === item)) return rejected('unknown_item', 'This game has no such item.');
        const after = amountOf(player, String(item)) + Number(count);
        edit.setInventory(player.identifier, withAmount(player, String(item), after));
        return { status: 'done', data: { item, count, after } };
      }),
  });
  return commands;
};
