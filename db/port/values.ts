/** Values of a statement by the names of their placeholders. */
export type PlaceholderValues = Record<string, unknown>;
