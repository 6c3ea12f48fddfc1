/** Runs one statement. With a name it is prepared once on each connection. */
export type Query = (text: string, values?: unknown[], name?: string) => Promise<Record<string, unknown>[]>;
