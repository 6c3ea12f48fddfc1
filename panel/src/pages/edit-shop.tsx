import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { hub, type Integration } from '../api.ts';
import { changedIn } from '../drafts.ts';
import { useTexts } from '../i18n.ts';
import { Button } from '../parts/controls.tsx';
import { sending } from '../parts/form-dialog.tsx';
import { Page } from '../parts/page.tsx';
import { Loaded } from '../parts/state.tsx';
import { UnsentForm } from '../parts/unsent.tsx';
import { readShop, type ShopChange, type ShopDraft, shopDraftOf } from '../shops/shop.ts';
import { FailedForm, ShopFields, useHubErrors, useShopRules } from '../shops/shop-fields.tsx';
import { TryOut } from '../shops/try-out.tsx';

const route = getRouteApi('/shops/$id/edit');

const EditShop = ({ shop }: { shop: Integration }) => {
  const { t } = useTexts();
  const { id } = shop;
  const client = useQueryClient();
  const navigate = route.useNavigate();
  // The form sends the settings that differ from these.
  const [before] = useState(() => shopDraftOf(shop));
  const [draft, setDraft] = useState<ShopDraft>(before);
  const [isTouched, setTouched] = useState(false);
  const [failed, setFailed] = useState<unknown>(null);
  const rules = useShopRules(draft);
  const settings = readShop(draft, rules);
  const errors = useHubErrors(failed);
  const save = useMutation({
    mutationFn: (body: ShopChange) => hub.request('patch', '/api/v2/integrations/{id}', { path: { id }, body }),
    onError: setFailed,
    onSuccess: (changed) => {
      client.setQueryData(['shops', id], changed);
      void client.invalidateQueries({ queryKey: ['shops'] });
      void navigate({ to: '/shops/$id', params: { id }, ignoreBlocker: true });
    },
  });
  const submit = (): void => {
    setTouched(true);
    // A key that sends the commands or the server becomes the maker of the shop.
    if (settings !== undefined) save.mutate(changedIn(before, draft, settings));
  };
  const ids = draft.packages.map((each) => each.id.trim()).filter((each) => each !== '');
  return (
    <>
      <form className="card stack" {...sending(save.isPending ? undefined : submit)}>
        <UnsentForm isDirty={draft !== before && !save.isSuccess} />
        <ShopFields
          {...{ draft, rules, isTouched, errors }}
          onChange={(change) => {
            setFailed(null);
            save.reset();
            setDraft((old) => ({ ...old, ...change }));
          }}
        />
        {save.error === null ? null : <FailedForm error={save.error} lost="again" />}
        <div>
          <Button isMain type="submit" isBusy={save.isPending}>
            {t('shops.save')}
          </Button>
        </div>
      </form>
      <TryOut
        id={id}
        packages={[...new Set(ids)]}
        change={settings === undefined ? 'incomplete' : changedIn(before, draft, settings)}
        onFailed={setFailed}
      />
    </>
  );
};

/** Changes the settings and the packages of a shop, after a look at what an order would do. */
export const EditShopPage = () => {
  const { t } = useTexts();
  const { id } = route.useParams();
  const query = useQuery({
    queryKey: ['shops', id],
    queryFn: () => hub.request('get', '/api/v2/integrations/{id}', { path: { id } }),
  });
  const back = (
    <Link to="/shops/$id" params={{ id }}>
      {t('shops.backToShop')}
    </Link>
  );
  return (
    <Page title={query.data?.name ?? t('nav.shops')} actions={back}>
      <Loaded query={query}>{(shop) => <EditShop shop={shop} />}</Loaded>
    </Page>
  );
};
