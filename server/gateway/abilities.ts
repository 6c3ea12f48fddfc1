import type { BridgeMessage, MessageOf } from '../../bridge-protocol/index.ts';
import type { Session } from '../cluster/router.ts';

type Abilities = Pick<Session, 'commands' | 'accounts' | 'classes'>;

const MAX_KNOWN = 256;

/** Abilities of bridges. Bridges with equal abilities share one object, which saves memory. */
export const createAbilities = () => {
  const known = new Map<string, Abilities>();
  return ({ commands, accounts, classes = {} }: MessageOf<BridgeMessage, 'hello'>): Abilities => {
    const key = JSON.stringify([commands, accounts, classes]);
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= MAX_KNOWN) known.clear();
    const abilities = { commands: new Set(commands), accounts, classes };
    known.set(key, abilities);
    return abilities;
  };
};
