import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { hub } from '../api.ts';
import { type Texts, useTexts } from '../i18n.ts';
import { ConfirmButton } from '../parts/confirm.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { DecidedList } from '../shops/decided.tsx';
import { ShopFacts } from '../shops/facts.tsx';
import { StaffList } from '../shops/staff-list.tsx';
import { TryOut } from '../shops/try-out.tsx';

const route = getRouteApi('/shops/$id');
const EVERY_MS = 15_000;

const outcomeIn = ({ t, has }: Texts, outcome: string): string => {
  const key = `shops.outcome.${outcome}`;
  return has(key) ? t(key) : outcome;
};

const Deliveries = ({ id }: { id: string }) => {
  const texts = useTexts();
  const { t } = texts;
  const deliveries = useQuery({
    queryKey: ['shops', id, 'deliveries'],
    queryFn: async () => (await hub.request('get', '/api/v2/integrations/{id}/deliveries', { path: { id } })).data,
    refetchInterval: EVERY_MS,
  });
  return (
    <section className="stack">
      <h2>{t('shops.deliveries')}</h2>
      <Loaded query={deliveries}>
        {(known) =>
          known.length === 0 ? (
            <Empty title={t('shops.noDeliveries')} />
          ) : (
            <ul className="plain">
              {[...known.entries()].map(([place, each]) => (
                <li key={`${known.length - place} ${each.receivedAt}`} className="row between">
                  <span>
                    {outcomeIn(texts, each.outcome)} <Foreign>{each.transaction ?? each.type}</Foreign>
                  </span>
                  <span className="dim small">
                    <Ago iso={each.receivedAt} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
};

export const ShopPage = () => {
  const { t, rich } = useTexts();
  const { id } = route.useParams();
  const client = useQueryClient();
  const navigate = useNavigate();
  const query = useQuery({
    queryKey: ['shops', id],
    queryFn: () => hub.request('get', '/api/v2/integrations/{id}', { path: { id } }),
    refetchInterval: EVERY_MS,
  });
  const remove = async (): Promise<void> => {
    await hub.request('delete', '/api/v2/integrations/{id}', { path: { id } });
    await navigate({ to: '/shops' });
    client.removeQueries({ queryKey: ['shops', id] });
    void client.invalidateQueries({ queryKey: ['shops'], exact: true });
  };
  return (
    <Page title={query.data?.name ?? t('nav.shops')} actions={<Link to="/shops">{t('shops.back')}</Link>}>
      <Loaded query={query}>
        {(shop) => (
          <>
            <StaffList integrationId={id} />
            <ShopFacts shop={shop} />
            <DecidedList integrationId={id} />
            <TryOut id={id} packages={Object.keys(shop.packages)} />
            <Deliveries id={id} />
            <div>
              <ConfirmButton
                title={t('shops.delete')}
                says={rich('shops.deleteSays', { name: <Foreign key="name">{shop.name}</Foreign> })}
                isFinal
                action={remove}
              />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
};
