import { type BridgeMessage, type MessageOf, readSchema } from '../../bridge-protocol/index.ts';
import type { CustomCommand } from '../router.ts';

/** What was announced, by name. Of each command that cannot be taken `refuse` is told why; the others count. */
export const readCustom = (
  { commands }: MessageOf<BridgeMessage, 'commands.custom'>,
  refuse: (problem: string) => void,
): ReadonlyMap<string, CustomCommand> => {
  const taken = new Map<string, CustomCommand>();
  for (const { name, description, params } of commands) {
    const read = taken.has(name) ? { problem: 'it was announced twice' } : readSchema(params);
    if ('problem' in read) refuse(`${name}: ${read.problem}`.slice(0, 1024));
    else taken.set(name, { name, description, params: read.schema });
  }
  return taken;
};
