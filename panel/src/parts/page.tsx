import { type ReactNode, useEffect } from 'react';
import { useTexts } from '../i18n.ts';
import { useMay } from '../session.ts';
import { Empty } from './state.tsx';
import { plain } from './text.tsx';

/** A page with its title, for those whose key may see it. */
export const Page = ({
  title,
  scope,
  actions,
  children,
}: {
  title: string;
  scope?: string;
  actions?: ReactNode;
  children: ReactNode;
}) => {
  const { t } = useTexts();
  const may = useMay();
  useEffect(() => {
    document.title = `${plain(title)} · Causeway`;
  }, [title]);
  const isAllowed = scope === undefined || may(scope);
  return (
    <div className="page stack">
      <div className="row between">
        <h1>
          <bdi>{plain(title)}</bdi>
        </h1>
        {isAllowed ? actions : null}
      </div>
      {isAllowed ? children : <Empty title={t('common.forbidden', { scope: scope ?? '' })} />}
    </div>
  );
};
