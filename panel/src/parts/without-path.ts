/** A refusal of a request, whose field the hub names by its path. */
export const withoutPath = (text: string): string =>
  text.replace(/^(?:\/[^/\s]+)*?\/([^/\s]+(?:\/\d+)?): /, (_, field: string) => `${field.replace('/', ' ')} `);
