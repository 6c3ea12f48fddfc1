import { useTexts } from '../i18n.ts';
import { Empty } from '../parts/state.tsx';

export const NotFound = () => {
  const { t } = useTexts();
  return <Empty title={t('common.notFound')} />;
};
