/** A list in parts of at most `size`. */
export const slices = function* <T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
};
