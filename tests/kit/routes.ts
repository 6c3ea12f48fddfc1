import type { Scope } from '../../server/auth/credentials.ts';
import { readApiDocument } from './api-document.ts';

type Json = null | boolean | number | string | Json[] | { [field: string]: Json };
export type Schema = {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: string[];
  pattern?: string;
  format?: string;
  example?: Json;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
};
type Parameter = { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Schema };
type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: { apiKey: Scope[] }[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, Response>;
};
type Response = { description: string; content?: Record<string, object>; headers?: Record<string, object> };
type Document = {
  paths: Record<
    string,
    Record<string, Omit<Operation, 'responses'> & { responses: Record<string, Response | { $ref: string }> }>
  >;
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> };
};

/** One method of one path, as the document describes it. */
export type Route = {
  id: string;
  method: string;
  path: string;
  scopes: Scope[];
  /** Needs no key: the body is signed. */
  isSigned: boolean;
  operation: Operation;
  pathParams: string[];
  query: Parameter[];
  /** The headers that it needs. */
  headers: Record<string, string>;
  /** Undefined: the route takes no body. */
  bodySchema: Schema | undefined;
};

/** Every route of the document. Suites walk this list, so that a new route cannot be forgotten. */
export const readRoutes = async (): Promise<Route[]> => {
  const document: Document = JSON.parse(await readApiDocument());
  const resolve = (schema: Schema): Schema => {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : (document.components.schemas[name] ?? {});
  };
  const responsesOf = (given: Record<string, Response | { $ref: string }>): Record<string, Response> =>
    Object.fromEntries(
      Object.entries(given).flatMap(([status, response]) => {
        const found =
          '$ref' in response ? document.components.responses[response.$ref.split('/').at(-1) ?? ''] : response;
        return found === undefined ? [] : [[status, found]];
      }),
    );
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => {
      const operation = { ...described, responses: responsesOf(described.responses) };
      const schema = operation.requestBody?.content['application/json']?.schema;
      const named = (place: Parameter['in']) => (operation.parameters ?? []).filter((each) => each.in === place);
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        scopes: operation.security[0]?.apiKey ?? [],
        isSigned: operation.security.length === 0,
        operation,
        pathParams: named('path').map(({ name }) => name),
        query: named('query'),
        headers: Object.fromEntries(
          named('header').flatMap(({ name, required }) => (required ? [[name, 'once']] : [])),
        ),
        bodySchema: schema && resolve(schema),
      };
    }),
  );
};

const TEXTS = ['text-1', '2026-11-20T11:59:58.120Z'];

/** A value that the schema allows. */
export const exampleOf = (schema: Schema): Json => {
  if (schema.example !== undefined) return schema.example;
  if (schema.enum !== undefined) return schema.enum[0] ?? '';
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'boolean') return true;
  if (type === 'integer') return schema.minimum ?? 1;
  if (type === 'array') return [exampleOf(schema.items ?? {})];
  if (type === 'object') return bodyOf(schema);
  return (schema.format === 'date-time' ? TEXTS[1] : TEXTS[0]) ?? '';
};

const isFields = (value: Json | undefined): value is { [field: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A body with the required fields, or with all of them. */
export const bodyOf = (schema: Schema, { all = false } = {}): { [field: string]: Json } => {
  // Of a body whose fields depend on one another.
  if (isFields(schema.example)) return schema.example;
  const names = all ? Object.keys(schema.properties ?? {}) : (schema.required ?? []);
  return Object.fromEntries(names.map((name) => [name, exampleOf(schema.properties?.[name] ?? {})]));
};

const OF_TYPE: Record<string, Json> = {
  string: 'text',
  integer: 7,
  boolean: true,
  array: ['text'],
  object: { field: 'text' },
  null: null,
};

const outOfBounds = (schema: Schema): Json[] => {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, items } = schema;
  return [
    ...(minimum === undefined ? [] : [minimum - 1, Math.min(minimum - 1, -1e9)]),
    // A number of that size has no halves.
    ...(minimum === undefined ? [] : [minimum + 0.5].filter((half) => !Number.isInteger(half))),
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(minLength === undefined ? [] : ['x'.repeat(minLength - 1)]),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(minItems === undefined ? [] : [Array<Json>(minItems - 1).fill('text')]),
    ...(maxItems === undefined ? [] : [Array<Json>(maxItems + 1).fill(exampleOf(items ?? {}))]),
  ];
};

const isPlainText = ({ type, enum: values, pattern, format }: Schema): boolean =>
  type === 'string' && (values ?? pattern ?? format) === undefined;

const outOfForm = (schema: Schema): Json[] => [
  ...(schema.enum === undefined ? [] : ['no-such-value', '', '__proto__', 'constructor']),
  ...(schema.pattern === undefined ? [] : ['', '../up', 'a b', 'a\0', 'a\n', '\u202ea', 'x'.repeat(1000)]),
  ...(schema.format === 'date-time' ? ['tomorrow', '2026-13-40T00:00:00Z', ''] : []),
  ...(isPlainText(schema) ? ['a\0b', 'a\ud800b', '\udc00'] : []),
];

/** Values that the schema does not allow: of every other type, beyond each bound, out of form. */
export const wrongValues = (schema: Schema): Json[] => {
  const types = (schema.anyOf ?? [schema]).flatMap(({ type = 'string' }) => type);
  const others = Object.entries(OF_TYPE).filter(([type]) => !types.includes(type));
  const inItems = schema.items === undefined ? [] : wrongValues(schema.items).map((value) => [value]);
  return [...others.map(([, value]) => value), ...outOfBounds(schema), ...outOfForm(schema), ...inItems];
};

/** The same for a query, where everything is text. */
export const wrongTexts = (schema: Schema): string[] => {
  const texts = [...outOfBounds(schema), ...outOfForm(schema)].map(String);
  const numbers = ['', 'text', '1.5', '1e1', '0x1', ' 1', '+1', 'NaN', 'true', '99999999999999999'];
  return [...texts, ...(schema.type === 'integer' ? numbers : [])].filter((text) => text.isWellFormed());
};

/** The routes with a key for `describe.each`, with a name that reads well. */
export const routeCases = async (): Promise<[name: string, route: Route][]> =>
  (await readRoutes()).filter(({ isSigned }) => !isSigned).map((route) => [`${route.method} ${route.path}`, route]);
