import type { ProjectRow } from '../../db/queries/projects.ts';
import type { Store } from '../../db/store.ts';
import type { Router } from '../cluster/router.ts';
import { HubError } from '../platform/errors.ts';
import { createServerCheck } from './accept.ts';
import { assertCapable, type createReach } from './capability.ts';
import { isCatalogued, type Wish } from './catalogue.ts';

/** Checks a command as a submission would, and sends nothing. */
export const createAssertPossible = ({
  store,
  router,
  reach,
}: {
  store: Pick<Store, 'servers' | 'sessions'>;
  router: Router;
  reach: ReturnType<typeof createReach>;
}) => {
  const assertServer = createServerCheck({ store, router });

  /** @throws HubError the server is away, or cannot run this command now */
  return async (wish: Wish & { project: ProjectRow; serverId: string }): Promise<void> => {
    const { project, serverId } = wish;
    const session = router.find(project.id, serverId);
    if (session !== undefined) return assertCapable(session, wish, project);
    const place = await router.locate(project.id, serverId);
    if (place !== undefined) {
      const known = { ...place, custom: undefined };
      const address = { projectId: project.id, serverId };
      return assertCapable(isCatalogued(wish) ? known : await reach.announcedAt(place, address), wish, project);
    }
    // A command that the bridge could not do when it was last connected would be refused, not wait.
    await assertServer(wish);
    throw new HubError('bridge_offline');
  };
};
