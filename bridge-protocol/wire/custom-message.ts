import * as z from 'zod/mini';
import { CUSTOM_NAME_PATTERN, LIMITS } from './limits.ts';
import { metadata, text } from './player.ts';

/** A command that resources of the game server add to those of the catalogue. `params` is a JSON Schema. */
export const customCommand = z.object({
  name: z.string().check(z.regex(CUSTOM_NAME_PATTERN)),
  description: z._default(text(LIMITS.customDescriptionLength), ''),
  params: metadata,
});

export const commandsCustom = z.object({
  type: z.literal('commands.custom'),
  commands: z.array(customCommand).check(z.maxLength(LIMITS.customCommands)),
});
