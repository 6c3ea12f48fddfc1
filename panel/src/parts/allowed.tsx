import type { ComponentType } from 'react';
import type { Scope } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { useMay } from '../session.ts';
import { Empty } from './state.tsx';

/** The page for those whose key has the scope; others are told what they lack, and the hub is not even asked. */
export const allowed = (scope: Scope, Page: ComponentType) => () => {
  const { t } = useTexts();
  const may = useMay();
  if (may(scope)) return <Page />;
  return <Empty title={t('common.forbidden', { scope: t(`scope.${scope}`) })} />;
};
