import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { fold } from '../../../bridge-protocol/fold.ts';
import { hub, type PlayerSummary, type Schemas } from '../api.ts';
import { useJobs } from '../commands/catalogue.ts';
import { type Draft, newDraft } from '../commands/kinds.ts';
import { useSettled } from '../filters.ts';
import { useTexts } from '../i18n.ts';
import { namedPlayer } from '../names.ts';
import { openOrder } from '../open-order.ts';
import { type Choice, Combobox } from '../parts/combobox.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { explain } from '../parts/state.tsx';
import { Foreign, plain } from '../parts/text.tsx';
import { Who } from '../parts/who.tsx';
import { usePlaces } from '../places.ts';
import { keyOf, knownPlayers, readAllKeys } from '../players/query.ts';
import { useServers } from '../queries.ts';
import { useMay } from '../session.ts';
import { type ChosenTargets, handOver } from '../tasks/chosen.ts';
import { readWish, VERBS, type Verb, type Wish } from './wish.ts';

const MAX_ROWS = 10;
const MAX_SERVERS = 3;
const MAX_JOBS = 3;
const MAX_SEARCH = 64;
/** A text that may be the number of a player in the game. */
const IN_GAME = /^\d{1,6}$/;
const PAUSE_MS = 40;
const USUAL_ACCOUNTS = ['bank', 'cash', 'money'];

type Row = Choice & { run: () => void };

/** A row: its name, and what it is. */
const lineOf = (name: ReactNode, about: ReactNode): ReactNode => (
  <>
    <span className="name">{name}</span>
    <span className="dim">{about}</span>
  </>
);

const draftOf = ({ verb, amount, account }: Wish): Draft | undefined =>
  verb && newDraft(verb, { ...(amount !== undefined && { amount }), ...(account !== undefined && { type: account }) });

/**
 * Players in the order of the palette: names that begin with the text, names that contain it, other hits; of each, first
 * who is online. Then by name and identifier, so that players of one name never change places.
 */
const inOrder = (players: readonly PlayerSummary[], text: string): PlayerSummary[] => {
  const wanted = fold(text);
  const rank = ({ name, online }: PlayerSummary): number => {
    const at = fold(name).indexOf(wanted);
    return (at === 0 ? 0 : at > 0 ? 2 : 4) + (online ? 0 : 1);
  };
  return players.toSorted(
    (a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name) || (a.identifier < b.identifier ? -1 : 1),
  );
};

/**
 * The players that a text finds: those that are known at once, and those of the hub; and how many more there are. A
 * number alone is the number in the game, too: these players come first.
 */
const useFound = (text: string): { found: readonly PlayerSummary[]; more: number } => {
  const client = useQueryClient();
  const may = useMay();
  const settled = useSettled(text, PAUSE_MS, true);
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['palette', settled],
    queryFn: async ({ signal }) => {
      const ask = (search: string) =>
        hub.request('get', '/api/v2/players', { query: { limit: MAX_ROWS, search } }, { signal });
      const [named, numbered] = await Promise.all([
        ask(settled),
        IN_GAME.test(settled) ? ask(`#${settled}`) : undefined,
      ]);
      return { ...named, numbered: numbered?.data ?? [] };
    },
    enabled: settled !== '' && may('players:read'),
    placeholderData: keepPreviousData,
  });
  if (text === '' || !may('players:read')) return { found: [], more: 0 };
  if (settled !== text || isPlaceholderData || data === undefined) {
    return { found: inOrder(knownPlayers(client, text, {}), text), more: 0 };
  }
  const numbered = data.numbered.map(namedPlayer);
  const known = new Set(numbered.map(keyOf));
  const others = inOrder(data.data.map(namedPlayer), text).filter((player) => !known.has(keyOf(player)));
  const found = [...numbered, ...others];
  return { found, more: Math.max(0, data.pagination.total - data.data.length) };
};

/** The jobs whose names begin with a text, or have a word that does. */
const useNamedJobs = (text: string): readonly Schemas['CatalogueEntry'][] => {
  const may = useMay();
  const { data: servers = [] } = useServers();
  const serverId = (servers.find(({ connected }) => connected) ?? servers[0])?.serverId ?? '';
  const wanted = fold(text);
  const jobs = useJobs(serverId, wanted !== '' && may('players:read'));
  if (wanted === '') return [];
  const isMeant = (name: string): boolean => ` ${fold(name)}`.includes(` ${wanted}`);
  return jobs.filter(({ name, label }) => isMeant(name) || isMeant(label));
};

const PlayerLine = ({ player }: { player: PlayerSummary }) => (
  <>
    <span className={player.online ? 'dot on' : 'dot'} aria-hidden="true" />
    <span className="name">
      <Foreign>{player.name}</Foreign>
    </span>
    <span className="dim">
      <Who player={player} />
    </span>
  </>
);

/** Finds players, servers and pages, and fills in a command that was typed. It never sends one. */
const Palette = ({
  typed,
  onType,
  onClose,
}: {
  typed: string;
  onType: (text: string) => void;
  onClose: () => void;
}) => {
  const texts = useTexts();
  const { t, has, locale, number } = texts;
  const may = useMay();
  const navigate = useNavigate();
  const { data: servers = [] } = useServers();
  const places = usePlaces();

  const mayDo: Record<Verb, boolean> = {
    give: may('commands:money'),
    take: may('commands:money'),
    kick: may('commands:kick'),
    message: may('commands:announce'),
  };
  const verbs = VERBS.filter((verb) => mayDo[verb]);
  const namesOf = (verb: Verb): string[] => [verb, ...t(`palette.verbs.${verb}`).split(' ')];
  const words = new Map(verbs.flatMap((verb) => namesOf(verb).map((word) => [word, verb] as const)));
  const wish = readWish(typed, { words, accounts: new Set(USUAL_ACCOUNTS), locale });
  const { found, more } = useFound(wish.text);
  const text = wish.text.toLowerCase();
  const draft = draftOf(wish);

  const playerRow = (player: PlayerSummary): Row => {
    const { serverId, identifier } = player;
    const key = `player ${serverId} ${identifier}`;
    const content = <PlayerLine player={player} />;
    if (draft !== undefined) return { key, content, run: () => openOrder({ serverId, identifier, draft }) };
    return {
      key,
      content,
      run: () => void navigate({ to: '/players/$serverId/$identifier', params: { serverId, identifier }, search: {} }),
    };
  };
  const pay = useMutation({
    mutationFn: ({ job }: Pick<ChosenTargets, 'kind' | 'typed'> & { job: string; label: string }) =>
      readAllKeys({ job, online: 'true' }),
  });
  // Not if the palette was closed or typed into meanwhile.
  const leadOn = (players: ChosenTargets['players'], { job: _, ...rest }: NonNullable<typeof pay.variables>): void => {
    if (players.length === 0) return;
    // At once: it gives the focus back, and the form then leads on.
    flushSync(onClose);
    handOver({ ...rest, players });
    void navigate({ to: '/batches/new' });
  };
  const jobs = useNamedJobs(wish.text).slice(0, MAX_JOBS);
  const jobRow = ({ name: job, label }: Schemas['CatalogueEntry']): Row => ({
    key: `job ${job}`,
    content: lineOf(<Foreign>{label}</Foreign>, t('palette.job')),
    run: () => {
      const { verb } = wish;
      const typed = draft?.typed ?? {};
      if (verb === 'give' || verb === 'take') {
        return pay.mutate({ job, label: plain(label), kind: verb, typed }, { onSuccess: leadOn });
      }
      void navigate({ to: '/players', search: { job, online: 'true' } });
    },
  });
  const mayPay = may('commands:batch') && draft?.name === 'money';
  const ofJobs = wish.verb === undefined || mayPay ? jobs.map(jobRow) : [];
  const begun: Row[] =
    wish.verb !== undefined || text === ''
      ? []
      : verbs
          .filter((verb) => namesOf(verb).some((word) => word.startsWith(text)))
          .map((verb) => ({
            key: `verb ${verb}`,
            content: <span className="name">{t(`palette.${verb}`)}</span>,
            run: () => onType(`${t(`palette.verbs.${verb}`).split(' ')[0]} `),
          }));
  const others: Row[] =
    wish.verb !== undefined
      ? []
      : [
          ...servers
            .filter(({ name, serverId }) => text !== '' && `${name} ${serverId}`.toLowerCase().includes(text))
            .slice(0, MAX_SERVERS)
            .map(({ name, serverId }) => ({
              key: `server ${serverId}`,
              content: lineOf(<Foreign>{name}</Foreign>, t('nav.servers')),
              run: () => void navigate({ to: '/servers/$serverId', params: { serverId }, search: {} }),
            })),
          ...places
            .filter(({ name }) => t(`nav.${name}`).toLowerCase().includes(text))
            .map(({ name, to }) => ({
              key: `page ${name}`,
              content: lineOf(t(`nav.${name}`), t('palette.page')),
              run: () => void navigate({ to }),
            })),
        ];
  const players = found.slice(0, MAX_ROWS - ofJobs.length).map(playerRow);
  const rows = [...begun, ...players, ...ofJobs, ...others].slice(0, MAX_ROWS);
  const take = (index: number): void => {
    const row = rows[index];
    if (row === undefined) return;
    // A row that still has to read something closes the palette afterwards.
    if (!row.key.startsWith('verb ') && !(row.key.startsWith('job ') && mayPay)) onClose();
    row.run();
  };
  const what = wish.verb !== undefined && has(`palette.${wish.verb}`) ? t(`palette.${wish.verb}`) : undefined;
  return (
    <Dialog title={t('palette.title')} className="palette" onClose={onClose}>
      <Combobox
        name={t('palette.title')}
        aria-label={t('palette.title')}
        placeholder={t('palette.hint')}
        value={typed}
        maxLength={MAX_SEARCH}
        data-autofocus
        className=""
        choices={rows}
        says={
          what === undefined ? null : (
            <p className="dim">
              {what}
              {wish.amount === undefined ? null : ` · ${wish.amount}`}
              {wish.account === undefined ? null : ` · ${wish.account}`}
            </p>
          )
        }
        onType={(text) => {
          pay.reset();
          onType(text);
        }}
        onChoose={take}
      />
      {pay.error === null ? null : (
        <p role="alert" className="bad">
          {explain(texts, pay.error)}
        </p>
      )}
      {pay.data?.length === 0 ? <p role="alert">{t('players.empty', { what: pay.variables?.label ?? '' })}</p> : null}
      {more > 0 ? <p className="dim">{t('palette.more', { count: number(more) })}</p> : null}
      {rows.length === 0 && typed.trim() !== '' ? <p className="dim">{t('palette.nothing')}</p> : null}
    </Dialog>
  );
};
export default Palette;
