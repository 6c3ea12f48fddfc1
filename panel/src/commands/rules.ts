import { useMemo } from 'react';
import { useTexts } from '../i18n.ts';
import { useCustomCommands, useServers } from '../queries.ts';
import { useSession } from '../session.ts';
import type { Rules } from './form.ts';

/** The rules of a form for commands of a game server. */
export const useRules = (serverId: string): Rules => {
  const { locale } = useTexts();
  const { project } = useSession();
  const { data: servers = [] } = useServers();
  const server = servers.find((each) => each.serverId === serverId);
  const { data: customs } = useCustomCommands(server);
  return {
    locale,
    max: Math.min(project.maxAmount ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    accounts: server?.bridge?.accounts ?? [],
    customs: useMemo(() => new Map(customs?.map((each) => [each.name, each])), [customs]),
  };
};
