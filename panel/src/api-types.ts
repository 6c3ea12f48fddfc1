/** The types of the API are made once, for the client and the panel. */
export type { components, paths } from '../../clients/typescript/api-types.ts';
