import { readAmount } from '../amount.ts';
import type { Schemas } from '../api.ts';
import { changedIn } from '../drafts.ts';

type Change = Schemas['ProjectChange'];
type Project = Schemas['Project'];
export type Reasoned = NonNullable<Change['reasonFor']>[number];

/** The commands for which a project can ask for a reason. */
export const REASONED: readonly Reasoned[] = [
  'kick',
  'money',
  'items',
  'vehicles',
  'job',
  'revive',
  'heal',
  'freeze',
  'teleport',
];

/** The settings of a project as they are typed. */
export type ProjectDraft = {
  name: string;
  /** Empty: that of each browser. */
  language: string;
  confirmAbove: string;
  reasonFor: readonly Reasoned[];
  /** Empty: the operator's bound. */
  maxAmount: string;
  maxBatchTotal: string;
};

/** A bound of the project; it is not shown as typed where it is the operator's. */
const boundOf = (own: number | null, ceiling: number | null): string =>
  own === null || own === ceiling ? '' : String(own);

/** The stored settings for the form. */
export const projectDraftOf = (project: Project): ProjectDraft => ({
  name: project.name,
  language: project.language ?? '',
  confirmAbove: String(project.confirmAbove),
  reasonFor: REASONED.filter((name) => project.reasonFor.includes(name)),
  maxAmount: boundOf(project.maxAmount, project.ceilings.maxAmount),
  maxBatchTotal: boundOf(project.maxBatchTotal, project.ceilings.maxBatchTotal),
});

export type BoundName = 'maxAmount' | 'maxBatchTotal' | 'confirmAbove';

/** A typed amount of the form; null: empty. Words: why it is none. */
export const readSetting = (draft: ProjectDraft, name: BoundName, { ceilings }: Project, locale: string) => {
  if (draft[name].trim() === '' && name !== 'confirmAbove') return null;
  const ceiling = name === 'confirmAbove' ? null : ceilings[name];
  return readAmount(draft[name], { locale, max: ceiling ?? Number.MAX_SAFE_INTEGER });
};

/** The settings that differ from the stored ones; undefined: something is missing or wrong. */
export const projectChangeOf = (
  before: ProjectDraft,
  draft: ProjectDraft,
  project: Project,
  locale: string,
): Change | undefined => {
  const name = draft.name.trim();
  const confirmAbove = readSetting(draft, 'confirmAbove', project, locale);
  const maxAmount = readSetting(draft, 'maxAmount', project, locale);
  const maxBatchTotal = readSetting(draft, 'maxBatchTotal', project, locale);
  if (name === '' || typeof confirmAbove !== 'number') return undefined;
  if (typeof maxAmount === 'string' || typeof maxBatchTotal === 'string') return undefined;
  const settings: Required<Change> = {
    ...{ name, confirmAbove, maxAmount, maxBatchTotal },
    language: draft.language === '' ? null : (draft.language as NonNullable<Change['language']>),
    reasonFor: [...draft.reasonFor],
  };
  return changedIn(before, draft, settings);
};
