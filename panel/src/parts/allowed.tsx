import type { ComponentType } from 'react';
import type { Scope } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { useMay } from '../session.ts';
import { Empty } from './state.tsx';

/** Shows the page if the key has the scope; otherwise it names the missing scope and sends no request. */
export const allowed = (scope: Scope, Page: ComponentType) => () => {
  const { t } = useTexts();
  const may = useMay();
  if (may(scope)) return <Page />;
  return <Empty title={t('common.forbidden', { scope: t(`scope.${scope}`) })} />;
};
