import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_TIMINGS } from '../../bridge-protocol/client/options.ts';
import * as protocol from '../../bridge-protocol/index.ts';
import { readConfig, TUNING } from '../../server/platform/config.ts';
import { ERRORS } from '../../server/platform/errors.ts';
import { fingerprintOf } from '../../server/platform/ids.ts';

const { bridgeMessage, hubMessage, COMMANDS, commandError, player, inventoryItem, vehicle } = protocol;

const path = join(import.meta.dirname, '../../bridge-protocol/README.md');
const text = readFileSync(path, 'utf8');
const prose = text.replaceAll(/^```[^\n]*\n[\s\S]*?^```$/gm, '');
const examples = [...text.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '');

/** The text below each heading, up to the next heading of any level. */
const sections = new Map(
  prose.split(/^#{2,4} /m).map((section) => {
    const [heading = '', ...lines] = section.split('\n');
    return [heading, lines.join('\n')] as const;
  }),
);

/** The rows of the tables below a heading, without their heads; a cell that is all code loses its marks. */
const rowsOf = (heading: string): string[][] =>
  (sections.get(heading) ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| [a-z]+ \|/.test(line))
    .map((line) => line.split(/ ?\| ?/).slice(1, -1))
    .map((cells) => cells.map((cell) => cell.replace(/^`([^`]+)`$/, '$1')));
const numbersOf = (heading: string): Record<string, number> =>
  Object.fromEntries(rowsOf(heading).map(([name = '', value]) => [name, Number(value)]));

// The parts of the schemas used here: fields, nested schemas, and whether a field is optional.
type Schema = {
  def: { shape?: Shape; innerType?: Schema; element?: Schema; values?: unknown[] };
  safeParse(value: unknown): { success: boolean };
};
type Shape = Readonly<Record<string, Schema>>;
const shapeOf = (schema: unknown): Shape => (schema as Schema).def.shape ?? {};
const optionsOf = ({ def: { options } }: { def: { options: readonly unknown[] } }): readonly unknown[] => options;
const typeOf = (schema: unknown): string => String(shapeOf(schema)['type']?.def.values?.[0]);

const hubTypes = new Set(optionsOf(hubMessage).map(typeOf));
const messages = [...optionsOf(bridgeMessage), ...optionsOf(hubMessage)];
const decode = (example: string) =>
  hubTypes.has(JSON.parse(example).type) ? protocol.decodeHubMessage(example) : protocol.decodeBridgeMessage(example);

const APART: readonly unknown[] = [player, inventoryItem, vehicle, commandError];
/** Every field with its path and whether it is required: `software.name`, `open[].id`. */
const fieldsOf = (shape: Shape, prefix = ''): string[][] =>
  Object.entries(shape).flatMap(([name, field]) => {
    let [inner, at] = [field, prefix + name];
    for (let next: Schema | undefined = inner; next; next = inner.def.innerType ?? inner.def.element) {
      if (inner.def.element === next) at += '[]';
      inner = next;
    }
    const isRequired = !field.safeParse(undefined).success;
    const below = APART.includes(inner) ? [] : fieldsOf(shapeOf(inner), `${at}.`);
    return [[prefix + name, isRequired ? 'yes' : 'no'], ...below];
  });

const commands = Object.keys(COMMANDS).filter(protocol.isCommandName);
const tables: [string, Shape][] = [
  ...messages.map((message): [string, Shape] => {
    const { type: _, ...shape } = shapeOf(message);
    return [typeOf(message), shape];
  }),
  ...commands.flatMap((name) =>
    protocol.commandTags(name).map((tag, nth): [string, Shape] => {
      const { since, params } = COMMANDS[name];
      const isIn = ([field]: [string, unknown]) => (since[field] ?? 1) <= nth + 1;
      return [tag, Object.fromEntries(Object.entries(shapeOf(params)).filter(isIn))];
    }),
  ),
  ['The data of money@1', shapeOf(COMMANDS.money.result)],
  ['The error object', shapeOf(commandError)],
  ['The player record', shapeOf(player)],
  ['A slot of an inventory', shapeOf(inventoryItem)],
  ['A vehicle', shapeOf(vehicle)],
];

describe('the specification of the protocol', () => {
  it.each(examples)('shows a frame as it is: %s', (example) => {
    expect(decode(example)).toMatchObject(JSON.parse(example));
  });

  it('shows every type of frame', () => {
    const shown = examples.map((example) => decode(example).type);
    expect([...new Set(shown)].sort()).toEqual([...new Set(messages.map(typeOf))].sort());
  });

  it.each(tables)('has every field of %s and no other, and whether it is required', (heading, shape) => {
    expect(rowsOf(heading).map(([name, , required]) => [name, required?.split(/\W/)[0]])).toEqual(fieldsOf(shape));
  });

  it('has every command with its class and time to live', () => {
    const expected = commands.flatMap((name) =>
      protocol.commandTags(name).map((tag) => [tag, COMMANDS[name].class, `${COMMANDS[name].ttlMs / 1000} s`]),
    );
    expect(rowsOf('Commands')).toEqual(expected);
  });

  it('shows a fingerprint as the hub computes it', () => {
    const { fingerprint, name, params } = examples.map((one) => JSON.parse(one)).find(({ type }) => type === 'command');
    expect(fingerprint).toBe(fingerprintOf('main', name, params));
  });

  it('has every close code, with the reaction of the bridge', () => {
    const { CLOSE_CODES, afterClose, closeReason } = protocol;
    const expected = Object.entries(CLOSE_CODES).map(([name, code]) => [String(code), name, afterClose(code)]);
    expect(rowsOf('Close codes').map(([code, name, , then]) => [code, name, then?.split(/\W/)[0]])).toEqual(expected);
    expect(prose).toContain(closeReason('shutting_down', 2000));
  });

  it('has every error code of a command', () => {
    expect(rowsOf('Error codes').map(([code]) => code)).toEqual([...protocol.COMMAND_ERROR_CODES]);
  });

  it('names errors of the hub with their status', () => {
    const named = [...prose.matchAll(/\b([45]\d\d) `(\w+)`/g)].map(([, status, code]) => [code, Number(status)]);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(([code, status]) => ERRORS[code as keyof typeof ERRORS]?.status !== status)).toEqual([]);
  });

  it('has the limits, the defaults of the hub and the times of the reference bridge', () => {
    expect(numbersOf('Bounds of the wire')).toEqual(protocol.LIMITS);
    expect(numbersOf('Times of the reference bridge')).toEqual(DEFAULT_TIMINGS);
    expect(Object.keys(numbersOf('Defaults of a hub')).length).toBeGreaterThan(10);
    expect({ ...readConfig({}), ...TUNING }).toMatchObject(numbersOf('Defaults of a hub'));
  });

  it('numbers its rules without a gap, and refers to every one of them', () => {
    const [before = '', checklist = '', after = ''] = prose.split(
      /^## (?:Conformance checklist|How versions evolve)$/m,
    );
    const rules = [...checklist.matchAll(/^- \*\*R(\d+)\.\*\* .*\b(?:MUST|SHOULD)\b.*\.$/gm)].map(([, n]) => Number(n));
    expect(rules).toEqual(Array.from({ length: checklist.match(/^- /gm)?.length ?? 0 }, (_, index) => index + 1));
    const referred = [...(before + after).matchAll(/\bR(\d+)\b/g)].map(([, n]) => Number(n));
    expect([...new Set(referred)].sort((one, other) => one - other)).toEqual(rules);
  });

  it('has links that lead somewhere', () => {
    const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading.toLowerCase());
    const anchors = headings.map((heading) => `#${heading.replaceAll(/[^\w -]/g, '').replaceAll(' ', '-')}`);
    const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const exists = (target: string) => existsSync(join(dirname(path), target.split('#', 1)[0] ?? ''));
    expect(targets.filter((target) => !(target.startsWith('#') ? anchors.includes(target) : exists(target)))).toEqual(
      [],
    );
  });
});
