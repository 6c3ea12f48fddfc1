import { Link } from '@tanstack/react-router';
import { useTexts } from '../i18n.ts';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/state.tsx';

export const NotFound = () => {
  const { t } = useTexts();
  return (
    <Page title={t('common.notFound')}>
      <Empty title={t('common.notFoundHint')}>
        <Link to="/">{t('common.home')}</Link>
      </Empty>
    </Page>
  );
};
