import { HubProblem } from '../api.ts';
import { type Texts, useTexts } from '../i18n.ts';
import { Note } from '../parts/controls.tsx';
import { Failed, type Lost } from '../parts/state.tsx';
import { plain } from '../parts/text.tsx';

/** The errors of a form, as the hub names them, by their places. */
export type HubErrors = ReadonlyMap<string, string>;

const SETTINGS = ['/name', '/serverId', '/identifierKind', '/maxAmount', '/maxDaily', '/secret'];
const PACKAGES = '/packages/';

export const placeOf = (id: string): string => PACKAGES + id.trim().replaceAll('~', '~0').replaceAll('/', '~1');

const inWords = ({ t }: Texts, error: unknown): [string, string][] =>
  error instanceof HubProblem
    ? (error.problem.errors ?? []).map(({ pointer, detail }) => [pointer, t('code.other', { detail: plain(detail) })])
    : [];

export const useHubErrors = (error: unknown): HubErrors => new Map(inWords(useTexts(), error));

/** Says that a request failed: why, or only that the fields say it. */
export const FailedForm = ({ error, lost }: { error: unknown; lost?: Lost }) => {
  const { t } = useTexts();
  const places = [...useHubErrors(error).keys()].map((pointer) => pointer.replace(/^\/change/, ''));
  const hasField = (pointer: string): boolean => SETTINGS.includes(pointer) || pointer.startsWith(PACKAGES);
  if (places.length === 0 || !places.every(hasField)) return <Failed error={error} lost={lost} />;
  return (
    <Note ink="bad" role="alert">
      {t('shops.fieldErrors')}
    </Note>
  );
};

/** Errors under a place, other than those of the named fields right below it. */
export const otherErrors = (errors: HubErrors, place: string, fields: readonly string[]): string[] => {
  const shown = new Set(fields.map((field) => `${place}/${field}`));
  return [...errors].flatMap(([pointer, text]) => {
    const isHere = pointer === place || pointer.startsWith(`${place}/`);
    return isHere && !shown.has(pointer) ? [text] : [];
  });
};
