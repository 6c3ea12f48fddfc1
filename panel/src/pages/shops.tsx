import { Badge } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Integration } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Page } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { useShops } from '../queries.ts';
import { ShopForm } from '../shops/shop-form.tsx';

const Row = ({ shop }: { shop: Integration }) => {
  const { t, count } = useTexts();
  return (
    <li className="card row between">
      <Link to="/shops/$id" params={{ id: shop.id }}>
        <Foreign>{shop.name}</Foreign>
      </Link>
      <span className="row">
        <Badge variant="light">{t(`shops.kind.${shop.kind}`)}</Badge>
        {shop.unmatched === 0 ? null : (
          <Badge color="yellow" variant="light">
            {count('shops.unmatched', shop.unmatched)}
          </Badge>
        )}
      </span>
    </li>
  );
};

/** The shops of the project. */
export const ShopsPage = () => {
  const { t } = useTexts();
  const client = useQueryClient();
  const navigate = useNavigate();
  const shops = useShops();
  return (
    <Page title={t('shops.title')}>
      <Loaded query={shops}>
        {(known) =>
          known.length === 0 ? (
            <Empty title={t('shops.none')} hint={t('shops.noneHint')} />
          ) : (
            <ul className="plain">
              {known.map((shop) => (
                <Row key={shop.id} shop={shop} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <ShopForm
        onMade={({ id }) => {
          void client.invalidateQueries({ queryKey: ['shops'] });
          void navigate({ to: '/shops/$id', params: { id }, ignoreBlocker: true });
        }}
      />
    </Page>
  );
};
