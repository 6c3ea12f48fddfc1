import { paramsFault } from '../../bridge-protocol/custom/params.ts';
import { readSchema } from '../../bridge-protocol/custom/schema.ts';
import { customName } from '../../bridge-protocol/wire/commands.ts';
import type { Hub } from '../hub/hub.ts';
import { Breach, NotTried } from '../judges/findings.ts';
import type { Cast } from '../stage/purse.ts';
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

/** The parameters of --custom, each variant with a trailing newline in a text whose pattern forbids it. */
const withNewlines = (hub: Hub, { name, params }: NonNullable<Cast['custom']>): Record<string, unknown>[] => {
  const read = readSchema(hub.custom().find((one) => one.name === name)?.params);
  if ('problem' in read) return [];
  return Object.entries(params).flatMap(([field, value]) => {
    const longer = { ...params, [field]: `${value}\n` };
    const isPattern = typeof value === 'string' && read.schema.properties?.[field]?.pattern !== undefined;
    return isPattern && paramsFault(read.schema, longer) !== undefined ? [longer] : [];
  });
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
  {
    rules: ['R48'],
    name: 'matches the patterns of a custom command to the last character',
    needs: ['custom'],
    run: async ({ carryOut, command, hub, cast }) => {
      const { custom } = cast;
      const unfit = custom === undefined ? [] : withNewlines(hub, custom);
      if (unfit.length === 0) throw new NotTried('no parameter of --custom has a pattern');
      for (const params of unfit) {
        const { status, error } = await carryOut(command(customName(custom?.name ?? ''), params));
        if (status === 'rejected' && error?.code === 'invalid_params') continue;
        const saw = `a text with a newline after what its pattern allows was taken by ${custom?.name}: ${status}`;
        throw new Breach({ saw });
      }
    },
  },
];
