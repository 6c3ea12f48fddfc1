import { readAmount } from '../amount.ts';
import type { components } from '../api-types.ts';
import { type Rules, readDraft } from '../commands/form.ts';
import { type Draft, type Kind, nameOfKind, newDraft } from '../commands/kinds.ts';
import { numberText } from '../drafts.ts';

export type Packages = components['schemas']['Integration']['packages'];
type Mapped = Packages[string][number];

export type Row = Draft & { key: number };
/** `isStored`: it is as the shop has stored it. */
export type PackageDraft = { key: number; id: string; rows: readonly Row[]; isStored?: boolean };

/** The rules of a package: it needs no reasons that the project wants since it was stored. */
export const rulesOf = ({ isStored = false }: PackageDraft, rules: Rules): Rules =>
  isStored ? { ...rules, reasonFor: [] } : rules;

/** The commands that packages may have. */
const GIVEN = ['give', 'giveItem', 'giveVehicle', 'job'] as const satisfies readonly Kind[];
export const isGiven = (kind: Kind): boolean => GIVEN.some((each) => each === kind);
export const BUILT_IN = GIVEN.map(nameOfKind);

export const isTwice = (packages: readonly PackageDraft[], { key, id }: PackageDraft): boolean =>
  packages.some((other) => other.key !== key && other.id.trim() === id.trim());

/** Whether a package cannot be sent as it is typed. */
export const isFaulty = (packages: readonly PackageDraft[], one: PackageDraft, rules: Rules): boolean =>
  one.id.trim() === '' ||
  isTwice(packages, one) ||
  one.rows.some((row) => 'faults' in readDraft(row, rulesOf(one, rules)));

/** The typed mapping; undefined: something is missing or wrong. */
export const readPackages = (packages: readonly PackageDraft[], rules: Rules): Packages | undefined => {
  if (packages.some((one) => isFaulty(packages, one, rules))) return undefined;
  const commands = (one: PackageDraft): Mapped[] =>
    one.rows.flatMap((row) => {
      const read = readDraft(row, rulesOf(one, rules));
      return 'command' in read ? [read.command] : [];
    });
  return Object.fromEntries(packages.map((one) => [one.id.trim(), commands(one)]));
};

export const newRow = (key: number, name: string): Row => {
  const kind = GIVEN.find((each) => nameOfKind(each) === name);
  return { key, ...(kind === undefined ? { name, given: {}, typed: {} } : newDraft(kind)) };
};

export const nextKey = (list: readonly { key: number }[]): number => Math.max(0, ...list.map(({ key }) => key)) + 1;

export const draftOf = (packages: Packages): PackageDraft[] =>
  Object.entries(packages).map(([id, commands], key) => ({
    key,
    id,
    isStored: true,
    rows: commands.map(({ name, params }, place) => ({ key: place, name, given: params, typed: {} })),
  }));

type Schemas = components['schemas'];

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

export const shopDraftOf = (shop: Schemas['Integration']): ShopDraft => ({
  name: shop.name,
  serverId: shop.serverId,
  identifierKind: shop.identifierKind ?? '',
  maxAmount: numberText(shop.maxAmount),
  maxDaily: numberText(shop.maxDaily),
  packages: draftOf(shop.packages),
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
  return { name, serverId, identifierKind: identifierKind || null, maxAmount, maxDaily, packages };
};
