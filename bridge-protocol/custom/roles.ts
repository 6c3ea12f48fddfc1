import { isLongerThan } from '../wire/codec.ts';
import type { CustomRoles } from '../wire/commands.ts';
import { IDENTIFIER_PATTERN, LIMITS } from '../wire/limits.ts';
import { emptyAsObject } from '../wire/player.ts';
import { below, type Fault, type Fields, isFields, type ParamsSchema, readSchema } from './schema.ts';

/** The JSON type that a parameter with a role must be able to have. */
const TYPES = { amount: 'number', item: 'string', player: 'string', reason: 'string' } as const;
type Role = keyof typeof TYPES;
const ROLES = Object.keys(TYPES) as Role[];

const canBe = ({ type }: ParamsSchema, wanted: 'number' | 'string'): boolean =>
  type === undefined || [type].flat().some((one) => one === wanted || (one === 'integer' && wanted === 'number'));

/** Why a role cannot be the parameter of this name; undefined: it can. */
const problemOf = (role: Role, name: unknown, { properties = {} }: ParamsSchema): string | undefined => {
  if (typeof name !== 'string') return 'must be the name of a parameter';
  const parameter = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (parameter === undefined) return `the schema has no property "${name.slice(0, 64).toWellFormed()}"`;
  return canBe(parameter, TYPES[role]) ? undefined : `the parameter "${name.slice(0, 64)}" must be a ${TYPES[role]}`;
};

/** Reads the roles of a schema's parameters. Names of roles that this version does not know are left out. */
const readRoles = (given: Fields, schema: ParamsSchema): { roles: CustomRoles } | { problem: string } => {
  const roles: CustomRoles = {};
  const taken = new Map<unknown, Role>();
  for (const role of ROLES.filter((each) => given[each] !== undefined)) {
    const name = given[role];
    const other = taken.get(name);
    const problem = other === undefined ? problemOf(role, name, schema) : `the parameter has the role ${other} already`;
    if (problem !== undefined) return { problem: `/roles/${role}: ${problem}` };
    taken.set(name, role);
    roles[role] = String(name);
  }
  const { reasonRequired } = given;
  if (reasonRequired === undefined || reasonRequired === false) return { roles };
  if (reasonRequired !== true) return { problem: '/roles/reasonRequired: must be true or false' };
  if (roles.reason === undefined) return { problem: '/roles/reasonRequired: no parameter has the role reason' };
  return { roles: { ...roles, reasonRequired } };
};

/** The first role that this version does not know: for the author of a command, it is a mistake. */
export const unknownRole = (given: unknown): string | undefined =>
  isFields(given)
    ? Object.keys(given).find((name) => !Object.hasOwn(TYPES, name) && name !== 'reasonRequired')
    : undefined;

export type Declaration = { schema: ParamsSchema; roles?: CustomRoles };

/** Reads what a custom command declares of its parameters; `problem` says what is wrong with it and where. */
export const readDeclaration = ({
  params,
  roles: given,
}: {
  params: unknown;
  roles?: unknown;
}): Declaration | { problem: string } => {
  const read = readSchema(params);
  if ('problem' in read || given === undefined || given === null) return read;
  // Lua has one kind of table, and FXServer writes an empty one as a list.
  const named = emptyAsObject(given);
  if (!isFields(named)) return { problem: '/roles: must be an object' };
  const { schema } = read;
  // Together, so that the largest commands of a server still fit into one frame.
  if (isLongerThan(JSON.stringify(schema) + JSON.stringify(named), LIMITS.customSchemaBytes)) {
    return { problem: `/roles: with the schema over ${LIMITS.customSchemaBytes} bytes of JSON` };
  }
  const found = readRoles(named, schema);
  if ('problem' in found) return found;
  return Object.keys(found.roles).length === 0 ? { schema } : { schema, roles: found.roles };
};

/** The first fault of parameters against their roles: the player must be an identifier, a required reason not blank. */
export const rolesFault = ({ player, reason, reasonRequired }: CustomRoles, params: Fields): Fault | undefined => {
  const whom = player === undefined || !Object.hasOwn(params, player) ? undefined : params[player];
  if (player !== undefined && whom !== undefined && !(typeof whom === 'string' && IDENTIFIER_PATTERN.test(whom))) {
    return { pointer: below('', player), detail: 'must be 1 to 128 of A-Z a-z 0-9 : _ . @ -' };
  }
  if (reason === undefined || reasonRequired !== true) return undefined;
  const why = Object.hasOwn(params, reason) ? params[reason] : undefined;
  return typeof why === 'string' && why.trim() !== ''
    ? undefined
    : { pointer: below('', reason), detail: 'this command needs a reason' };
};
