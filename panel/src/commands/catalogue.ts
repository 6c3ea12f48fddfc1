import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { fold } from '../../../bridge-protocol/fold.ts';
import { hub, type Schemas } from '../api.ts';
import { useSettled } from '../filters.ts';
import { useTexts } from '../i18n.ts';
import { namedEntry } from '../names.ts';
import { useCustomCommands, useProject, useServers } from '../queries.ts';
import { useMay, useSession } from '../session.ts';
import type { Catalogue, Rules } from './form.ts';

/** Until the project is known: the hub refuses what it must. */
const NONE: readonly string[] = [];

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

const DEBOUNCE_MS = 80;
/** One more than are shown tells that there are more. */
const FOUND = 7;

export type Entry = Schemas['CatalogueEntry'];
/** A thing of the game as people see it. */
export type Named = { name: string; label: string };

const has = ({ name, label }: Named, text: string): boolean => fold(`${name}\n${label}`).includes(fold(text));

const catalogueQuery = (serverId: string, kind: Catalogue, search: string, limit: number) => ({
  queryKey: ['catalogue', serverId, kind, search, limit],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    hub.request(
      'get',
      `/api/v2/servers/{serverId}/${kind}`,
      { path: { serverId }, query: { limit, search: search || undefined } },
      { signal },
    ),
});

/** Entries of a catalogue of the game server for a typed text. Undefined: the user is not typing. */
export const useCatalogue = (
  serverId: string,
  kind: Catalogue,
  text: string | undefined,
  limit = FOUND,
): readonly Entry[] => {
  const may = useMay();
  const wanted = text?.trim() ?? '';
  const search = useSettled(wanted, DEBOUNCE_MS);
  const isAsked = may('servers:read') && text !== undefined;
  const { data } = useQuery({
    ...catalogueQuery(serverId, kind, search, limit),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  });
  if (text === undefined) return [];
  // A server without a catalogue, or a key that may not read it: the name is taken as it is typed.
  const isUnlisted = !isAsked || data?.syncedAt === null;
  if (isUnlisted) return wanted === '' ? [] : [{ name: wanted, label: wanted }];
  return (data?.data ?? []).map(namedEntry).filter((entry) => has(entry, wanted));
};

/** The jobs of one answer. */
const MAX_JOBS = 200;
const JOBS_FRESH_MS = 300_000;

/** The jobs of a game server, which seldom change: read once. */
export const useJobs = (serverId: string, isAsked: boolean): readonly Entry[] => {
  const may = useMay();
  const { data } = useQuery({
    ...catalogueQuery(serverId, 'jobs', '', MAX_JOBS),
    enabled: isAsked && serverId !== '' && may('servers:read'),
    staleTime: JOBS_FRESH_MS,
  });
  return useMemo(() => (data?.data ?? []).map(namedEntry), [data]);
};

/** Finds entries in a list that the panel has. */
export const among = <E extends Named>(entries: readonly E[], text: string | undefined): readonly E[] =>
  text === undefined ? [] : entries.filter((entry) => has(entry, text.trim())).slice(0, FOUND);

const entryKey = (serverId: string, kind: Catalogue, name: string) => ['entry', serverId, kind, name];

/** The thing with this name; its label is the name as long as nothing else is known. */
export const useEntry = (serverId: string, kind: Catalogue, name: string): Entry => {
  const may = useMay();
  const client = useQueryClient();
  const other: Entry = { name, label: name };
  const { data } = useQuery({
    queryKey: entryKey(serverId, kind, name),
    queryFn: async () => {
      const { data: found } = await client.fetchQuery(catalogueQuery(serverId, kind, name, FOUND));
      return found.map(namedEntry).find((entry) => entry.name === name) ?? other;
    },
    enabled: may('servers:read') && name !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? other;
};

/** Keeps a thing that a person chose, so that its label is there at once wherever it is shown. */
export const useKeepEntry = (): ((serverId: string, kind: Catalogue, entry: Entry) => void) => {
  const client = useQueryClient();
  return (serverId, kind, entry) => {
    client.setQueryData(entryKey(serverId, kind, entry.name), entry);
  };
};
