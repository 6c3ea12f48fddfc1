import { paramsFault, readSchema } from '../../bridge-protocol/custom/schema.ts';
import { customName } from '../../bridge-protocol/wire/commands.ts';
import type { Hub } from '../hub/hub.ts';
import { NotTried } from '../judges/findings.ts';
import type { Check } from './check.ts';
import { expectRefusal } from './refusals.ts';

/** Parameters that an announced command does not allow; valid ones are not sent, because they have an effect. */
const findUnfit = (hub: Hub): { name: string; params: Record<string, unknown> } | undefined => {
  for (const { name, params: schema } of hub.custom()) {
    const read = readSchema(schema);
    if ('problem' in read) continue;
    const fields = Object.keys(read.schema.properties ?? {}).map((field) => ({ [field]: { verify: [] } }));
    const params = [{}, { verify_unknown: 1 }, ...fields].find((one) => paramsFault(read.schema, one) !== undefined);
    if (params !== undefined) return { name, params };
  }
  return undefined;
};

/** Checks of the custom commands that the bridge's owner added. */
export const CUSTOM_CHECKS: readonly Check[] = [
  {
    rules: ['R47'],
    name: 'announces its custom commands again on a new connection',
    run: async ({ hub, line, next, synced }) => {
      if (hub.custom().length === 0) throw new NotTried('the bridge announced no custom commands');
      const before = line();
      before.close(4000, '{"code":"shutting_down","r":0}');
      await synced(await next(before));
    },
  },
  {
    rules: ['R48'],
    name: 'refuses a custom command that it does not announce',
    run: async ({ carryOut, command }) => {
      const gone = command(customName('verify_unknown'), {});
      expectRefusal('R48', await carryOut(gone), 'unsupported', gone);
    },
  },
  {
    rules: ['R48'],
    name: 'refuses parameters that the schema of a custom command does not allow',
    run: async ({ carryOut, command, hub }) => {
      const unfit = findUnfit(hub);
      if (unfit === undefined) throw new NotTried('no custom command has a schema that refuses anything');
      const sent = command(customName(unfit.name), unfit.params);
      expectRefusal('R48', await carryOut(sent), 'invalid_params', sent);
    },
  },
];
