import type { ComponentType } from 'react';
import { useTexts } from '../i18n.ts';
import { useMay } from '../session.ts';
import { Empty } from './state.tsx';

/** The page for those whose key has the scope; others are told what they lack, and the hub is not even asked. */
export const allowed = (scope: string, Page: ComponentType) => () => {
  const { t, has } = useTexts();
  const may = useMay();
  if (may(scope)) return <Page />;
  const key = `scope.${scope}`;
  return <Empty title={t('common.forbidden', { scope: has(key) ? t(key) : scope })} />;
};
