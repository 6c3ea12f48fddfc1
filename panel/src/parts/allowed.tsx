import type { FunctionComponent } from 'react';
import type { Scope } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { useMay } from '../session.ts';
import { Empty } from './state.tsx';

/** A page that may be fetched when it is opened. */
type PageComponent = FunctionComponent & { preload?: () => Promise<void> | undefined };

/** Shows the page if the key has the scope; otherwise it names the missing scope and sends no request. */
export const allowed = (scope: Scope, Page: PageComponent): PageComponent => {
  const Allowed: PageComponent = () => {
    const { t } = useTexts();
    const may = useMay();
    if (may(scope)) return <Page />;
    return <Empty title={t('common.forbidden', { scope: t(`scope.${scope}`) })} />;
  };
  // The router fetches it before it leaves the page before.
  if (Page.preload !== undefined) Allowed.preload = Page.preload;
  return Allowed;
};
