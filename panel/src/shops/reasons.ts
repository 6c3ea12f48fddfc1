import type { OrderLine } from '../api.ts';
import type { Texts } from '../i18n.ts';

/** Why a line is on the list, in words. */
export const reasonOf = ({ t, has, needsMore }: Texts, code: string | null, detail: string | null): string => {
  const own = `shops.reason.${code}`;
  if (has(own)) return t(own);
  const known = `code.${code}`;
  // A line has no numbers of its refusal, but the sentence of the game server has them.
  return has(known) && !needsMore(known, 'detail') ? t(known, { detail: detail ?? '' }) : (detail ?? code ?? '');
};

/** Why a person has to decide a line. The reason of an owed one is that of the command that takes it back. */
export const explainLine = (texts: Texts, { name, state, reason, detail }: OrderLine): string => {
  const isJob = name === 'job';
  // The hub adds a detail if the player has another job.
  if (isJob && reason === 'no_opposite' && detail !== null) return texts.t('shops.reason.other_job');
  const why = reasonOf(texts, reason, detail);
  if (state !== 'owed' || texts.has(`shops.reason.${reason}`)) return why;
  return texts.t(isJob ? 'shops.owedJob' : 'shops.owed', { why });
};
