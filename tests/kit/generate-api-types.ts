import openapiTS, { astToString } from 'openapi-typescript';

/** Where the types of the API are kept. */
export const API_TYPES_FILE = new URL('../../clients/typescript/api-types.ts', import.meta.url);

const HEADER = '// Generated from the OpenAPI document by `npm run openapi:types`.\n';

/** The document as TypeScript; fields with a default stay optional, as the guide to the API tells its readers. */
export const generateApiTypes = async (document: string): Promise<string> => {
  const text = astToString(await openapiTS(document, { defaultNonNullable: false }));
  return HEADER + text.replaceAll(/^export type (webhooks|\$defs) = .*\n/gm, '');
};
