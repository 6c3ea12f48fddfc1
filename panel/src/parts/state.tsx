import type { ReactNode } from 'react';
import { type Command, HubProblem } from '../api.ts';
import { type Texts, useTexts } from '../i18n.ts';
import { Button, Note } from './controls.tsx';
import { plain } from './text.tsx';
import { withoutPath } from './without-path.ts';

/** Numbers of a refusal that its text names. */
type Numbers = { balance?: unknown; fits?: unknown; count?: unknown };

const inWords = (
  { t, has, number }: Texts,
  { code, text, numbers }: { code: string; text: string; numbers: Numbers },
): string => {
  const key = `code.${code}`;
  if (!has(key)) return t('code.other', { detail: plain(text) });
  const inText = (value: unknown): string => (typeof value === 'number' ? number(value) : '?');
  const { balance, fits, count } = numbers;
  // The hub names the server that it was asked for.
  const [, id] = code === 'server_not_found' ? (/"([a-z0-9_-]+)"/.exec(text) ?? []) : [];
  if (id !== undefined) return t('code.server_not_found.named', { id });
  const detail = plain(code === 'invalid_request' ? withoutPath(text) : text);
  return t(key, { detail, balance: inText(balance), fits: inText(fits), count: inText(count) });
};

/** The error as text for readers without technical knowledge. */
export const explain = (texts: Texts, error: unknown): string => {
  if (!(error instanceof HubProblem)) return texts.t('offline.banner');
  const { code, detail } = error.problem;
  return inWords(texts, { code, text: detail, numbers: error.problem as Numbers });
};

/** The error of a command in the journal, as text for readers without technical knowledge. */
export const explainCode = (texts: Texts, { code, message, details }: NonNullable<Command['error']>): string =>
  inWords(texts, { code, text: message, numbers: details ?? {} });

/** The step of a person after an action without an answer: `again`: it can be sent once more; `once`: it is done once, too. */
export type Lost = 'again' | 'once' | 'secret';

export const Empty = ({ title, hint, children }: { title: string; hint?: string; children?: ReactNode }) => (
  <div className="empty" role="status">
    <p>{title}</p>
    {hint === undefined ? null : <p className="dim">{hint}</p>}
    {children}
  </div>
);

/** Whether no answer of the hub tells what became of a request. */
export const isLost = (error: unknown): boolean =>
  !(error instanceof HubProblem) || error.problem.executed === 'unknown';

/**
 * Why something did not work. `lost`: the text of an action whose answer did not come, so that nobody knows whether it was
 * done.
 */
export const Failed = ({ error, retry, lost }: { error: unknown; retry?: () => void; lost?: Lost | undefined }) => {
  const texts = useTexts();
  const { t } = texts;
  if (lost !== undefined && isLost(error)) {
    return (
      <Note ink="wait" role="alert" data-lost>
        {t(`lost.${lost}`)}
      </Note>
    );
  }
  const requestId = error instanceof HubProblem ? error.problem.requestId : '';
  return (
    <Note ink="bad" role="alert">
      <p>{t('common.error', { detail: explain(texts, error) })}</p>
      {requestId === '' ? null : <p className="dim small">{t('common.reference', { id: requestId })}</p>}
      {retry === undefined ? null : (
        <Button isSmall onClick={retry}>
          {t('common.retry')}
        </Button>
      )}
    </Note>
  );
};

/** Rows of the final height below `head`; a quick answer comes before they are seen. */
export const Loading = ({ lines = 4, head }: { lines?: number; head?: ReactNode }) => {
  const { t } = useTexts();
  return (
    <div role="status" aria-label={t('common.loading')} className="skeletons">
      {head}
      {Array.from({ length: lines }, (_, line) => `line ${line}`).map((line) => (
        <div key={line}>
          <span />
        </div>
      ))}
    </div>
  );
};

type Query<T> = { data: T | undefined; error: unknown; refetch: () => unknown };

/** Shows a query's data, even if old; without data, the reason why there is none. */
export const Loaded = <T,>({
  query,
  lines,
  children,
}: {
  query: Query<T>;
  lines?: number;
  children: (data: T) => ReactNode;
}) => {
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return <Loading {...(lines !== undefined && { lines })} />;
};
