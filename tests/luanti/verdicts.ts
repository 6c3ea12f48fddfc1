export type Verdict = { rule: string; outcome: string; text: string };

/** The rules in the JSON document at the end of what `causeway bridge verify --json` wrote. */
export const readVerdicts = (said: string): Verdict[] =>
  (JSON.parse(said.slice(said.search(/^\{/m))) as { rules: Verdict[] }).rules;
