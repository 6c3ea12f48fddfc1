/** As many as a report may have. */
const MAX_LINKED = 32;
/** Kinds that stand for one account of a person, the surest first. */
const PERSONAL = ['license:', 'license2:', 'steam:'];

/** The part up to the first colon; an identifier without one is a kind by itself. */
const kindOf = (identifier: string): string => identifier.slice(0, identifier.indexOf(':') + 1) || identifier;

/** True if both lists have values of the same personal kinds, and no such value in common: the row has another owner. */
const hasChangedHands = (reported: readonly string[], remembered: readonly string[]): boolean => {
  const kinds = new Set(reported.map(kindOf).filter((kind) => PERSONAL.includes(kind)));
  const comparable = remembered.filter((identifier) => kinds.has(kindOf(identifier)));
  return comparable.length > 0 && !comparable.some((identifier) => reported.includes(identifier));
};

/**
 * The linked identifiers of a player after a report: the reported ones, then the remembered ones of other kinds, the newest
 * first. A source that knows less, such as the row of an absent character, erases nothing.
 */
export const mergedLinks = (reported: string[], remembered: readonly string[] = []): string[] => {
  const kinds = new Set(reported.map(kindOf));
  const kept = remembered.filter((identifier) => !kinds.has(kindOf(identifier)));
  if (kept.length === 0 || hasChangedHands(reported, remembered)) return reported;
  return [...reported, ...kept].slice(0, MAX_LINKED);
};

/** Whether two characters belong to one person, by the first kind of account that both have. */
export const isSamePerson = (some: readonly string[], others: readonly string[]): boolean => {
  for (const kind of PERSONAL) {
    const of = (list: readonly string[]) => list.filter((identifier) => kindOf(identifier) === kind);
    const [mine, theirs] = [of(some), of(others)];
    if (mine.length > 0 && theirs.length > 0) return mine.some((identifier) => theirs.includes(identifier));
  }
  return false;
};

/** Whether another person can have the identifier: with the same license, it is the same person. */
export const canBeTaken = (identifier: string): boolean => !identifier.startsWith('license:');
