import { readAmount } from '../amount.ts';
import type { components } from '../api-types.ts';
import type { Rules } from '../commands/form.ts';
import { numberText } from '../drafts.ts';
import { draftOf, type PackageDraft, readPackages } from './mapping.ts';

type Schemas = components['schemas'];

/** The settings of a shop, as they are typed. */
export type ShopDraft = {
  name: string;
  serverId: string;
  /** Empty: every kind. */
  identifierKind: string;
  maxAmount: string;
  maxDaily: string;
  packages: readonly PackageDraft[];
};
type Settings = Pick<
  Schemas['NewIntegration'],
  'name' | 'serverId' | 'identifierKind' | 'maxAmount' | 'maxDaily' | 'packages'
>;
export type ShopChange = Partial<Settings>;

export const EMPTY_SHOP: ShopDraft = {
  ...{ name: '', serverId: '', identifierKind: '', maxAmount: '', maxDaily: '' },
  packages: [],
};

/** A stored shop for the form. */
export const shopDraftOf = ({
  name,
  serverId,
  identifierKind,
  maxAmount,
  maxDaily,
  packages,
}: Schemas['Integration']): ShopDraft => ({
  name,
  serverId,
  identifierKind: identifierKind ?? '',
  maxAmount: numberText(maxAmount),
  maxDaily: numberText(maxDaily),
  packages: draftOf(packages),
});

/** A limit of money; null: none, undefined: it is wrong. */
export const readLimit = (typed: string, locale: string): number | null | undefined => {
  if (typed.trim() === '') return null;
  const value = readAmount(typed, { locale, max: Number.MAX_SAFE_INTEGER });
  return typeof value === 'number' ? value : undefined;
};

/** The settings of a form; undefined: something is missing or wrong. */
export const readShop = (draft: ShopDraft, rules: Rules): Settings | undefined => {
  const name = draft.name.trim();
  const { serverId, identifierKind } = draft;
  const [maxAmount, maxDaily] = [readLimit(draft.maxAmount, rules.locale), readLimit(draft.maxDaily, rules.locale)];
  const packages = readPackages(draft.packages, rules);
  if (name === '' || serverId === '' || packages === undefined) return undefined;
  if (maxAmount === undefined || maxDaily === undefined) return undefined;
  return {
    name,
    serverId,
    identifierKind: identifierKind === '' ? null : identifierKind,
    maxAmount,
    maxDaily,
    packages,
  };
};
