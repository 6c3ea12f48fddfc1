import { useMemo } from 'react';
import { useTexts } from '../i18n.ts';
import { useCustomCommands, useProject, useServers } from '../queries.ts';
import { useSession } from '../session.ts';
import type { Rules } from './form.ts';

/** Until the project is known: the hub refuses what it must. */
const NONE: readonly string[] = [];

/** The rules of a form for commands of a game server. */
export const useRules = (serverId: string): Rules => {
  const { locale } = useTexts();
  const { project } = useSession();
  const { data: bounds } = useProject();
  const { data: servers = [] } = useServers();
  const server = servers.find((each) => each.serverId === serverId);
  const { data: customs } = useCustomCommands(server);
  return {
    locale,
    max: Math.min(project.maxAmount ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    reasonFor: bounds?.reasonFor ?? NONE,
    accounts: server?.bridge?.accounts ?? [],
    customs: useMemo(() => new Map(customs?.map((each) => [each.name, each])), [customs]),
  };
};
