import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { hub, type OrderLine, type Player } from '../api.ts';
import { describeBought } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { Button, Note } from '../parts/controls.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { sending } from '../parts/form-dialog.tsx';
import { ServerName } from '../parts/server-state.tsx';
import { Failed, Loading } from '../parts/state.tsx';
import { Foreign, isolated } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { playerQuery } from '../queries.ts';
import { useMay, useSession } from '../session.ts';
import {
  buyerIn,
  canUndo,
  type Decided,
  problemIn,
  productIn,
  reasonOf,
  stateIn,
  useDecide,
  useDecided,
  useStaffLines,
} from './decisions.ts';

const SHORT = 20;
const LINKED = 4;
const NAMESAKES = 50;

/** The ends of a long identifier, which tell it from others. */
const shortOf = (identifier: string): string =>
  identifier.length <= SHORT ? identifier : `${identifier.slice(0, 10)}…${identifier.slice(-8)}`;

/** Counts the players of the server who have this name, as far as they are found. */
const useNamesakes = ({ name, serverId }: { name: string | undefined; serverId: string }): number => {
  const search = [...(name ?? '')].slice(0, 64).join('');
  const query = useQuery({
    queryKey: ['namesakes', serverId, search],
    queryFn: () => hub.request('get', '/api/v2/players', { query: { serverId, search, limit: NAMESAKES } }),
    enabled: search.trim() !== '',
  });
  return (query.data?.data ?? []).filter((each) => each.name === name).length;
};

const Facts = ({ player }: { player: Player }) => {
  const { t, rich, count } = useTexts();
  const { name, identifier, identifiers, online, lastSeenAt, firstSeenAt, serverId, job } = player;
  const namesakes = useNamesakes({ name, serverId });
  const linked = identifiers.filter((each) => each !== identifier).slice(0, LINKED);
  return (
    <>
      <div className="row">
        <strong>
          <Foreign>{name}</Foreign>
        </strong>
        <code title={identifier}>
          <Foreign>{shortOf(identifier)}</Foreign>
        </code>
        <span className={online ? 'state good' : 'state dim'}>{t(online ? 'state.online' : 'state.offline')}</span>
      </div>
      <p className="dim small">
        {online ? null : <>{rich('shops.lastSeen', { time: <Ago key="time" iso={lastSeenAt} /> })} · </>}
        {rich('shops.firstSeen', { time: <Ago key="time" iso={firstSeenAt} /> })}
        {job === null ? null : (
          <>
            {' · '}
            <Foreign>{job.label}</Foreign>
          </>
        )}
        {linked.map((each) => (
          <span key={each} title={each}>
            {' · '}
            <Foreign>{shortOf(each)}</Foreign>
          </span>
        ))}
      </p>
      {namesakes > 1 ? (
        <p className="small" role="note">
          {count('shops.namesakes', namesakes)}
        </p>
      ) : null}
    </>
  );
};

/** The player, if the hub knows them and the key may see them. */
const useRecipient = (serverId: string, target: string) => {
  const may = useMay();
  return useQuery({ ...playerQuery(serverId, target), enabled: may('players:read'), retry: false });
};

/** The player who gets something: the name, and what tells people of one name apart. */
const Recipient = ({ serverId, target }: { serverId: string; target: string }) => {
  const { t } = useTexts();
  const may = useMay();
  const { data: player, isPending } = useRecipient(serverId, target);
  if (player !== undefined) return <Facts player={player} />;
  if (may('players:read') && isPending) return <Loading lines={2} />;
  return (
    <>
      <code>
        <Foreign>{target}</Foreign>
      </code>
      {may('players:read') ? <p className="small">{t('shops.unknownPlayer')}</p> : null}
    </>
  );
};

/** The package of a line in the words of the shop, and its command. */
const Good = ({ line }: { line: OrderLine }) => {
  const texts = useTexts();
  return (
    <>
      <strong>
        <Foreign>{productIn(line)}</Foreign>
      </strong>{' '}
      <span className="foreign">{describeBought(texts, { name: line.name ?? '', params: line.params ?? {} })}</span>
    </>
  );
};

/** The lines as they are now: on the list of the staff, or decided. `since`: when the last decision was sent. */
const useLatest = (integrationId: string, ids: readonly string[], since: number): Map<string, OrderLine> => {
  const onList = useStaffLines(integrationId, since).data ?? [];
  const decided = useDecided(integrationId, since).data?.pages.flatMap(({ data }) => data) ?? [];
  return new Map([...decided, ...onList].filter(({ id }) => ids.includes(id)).map((line) => [line.id, line]));
};

/** The outcome of each line, as far as it is known, and the way back. */
const Outcome = ({
  integrationId,
  lines,
  target,
  told,
  sentAt,
  onClose,
}: {
  integrationId: string;
  lines: readonly OrderLine[];
  target: string;
  told: readonly Decided[];
  sentAt: number;
  onClose: () => void;
}) => {
  const texts = useTexts();
  const { t } = texts;
  const undo = useDecide(integrationId);
  const known = useLatest(
    integrationId,
    told.map(({ id }) => id),
    Math.max(sentAt, undo.submittedAt),
  );
  const { key } = useSession();
  /** It was given by an earlier request of this dialog, whose answer was lost. */
  const wasGiven = ({ id }: Decided): boolean => {
    const { decision, target: receiver } = known.get(id) ?? {};
    return decision?.is === 'given' && decision.by.keyId === key.id && receiver === target;
  };
  const given = told.flatMap((each) => {
    const line = known.get(each.id) ?? each.line;
    return line !== undefined && (each.line !== undefined || wasGiven(each)) ? [line] : [];
  });
  const failed = [...told.filter((each) => !wasGiven(each)), ...(undo.data ?? [])].filter(
    ({ line }) => line === undefined,
  );
  const undoable = given.filter((line) => canUndo(line) && line.decision?.is === 'given');
  const productOf = (id: string): string => {
    const line = lines.find((each) => each.id === id);
    return line === undefined ? id : productIn(line);
  };
  const isAllDone = failed.length === 0 && given.every(({ state }) => state === 'delivered');
  return (
    <div className="stack">
      <Note ink={isAllDone ? 'good' : 'info'} role="status">
        <ul className="plain">
          {given.map((line) => (
            <li key={line.id}>
              <Good line={line} />: {stateIn(texts, line)}
              {line.reason === null ? null : <> {reasonOf(texts, line.reason, line.detail)}</>}
            </li>
          ))}
        </ul>
      </Note>
      {failed.length === 0 ? null : (
        <Note ink="bad" role="alert">
          <ul className="plain">
            {failed.map((each) => (
              <li key={each.id}>
                <strong>
                  <Foreign>{productOf(each.id)}</Foreign>
                </strong>
                : <span className="foreign">{problemIn(texts, each)}</span>
              </li>
            ))}
          </ul>
        </Note>
      )}
      {undo.error === null ? null : <Failed error={undo.error} lost="once" />}
      <div className="row end">
        {undoable.length === 0 ? null : (
          <Button isBusy={undo.isPending} onClick={() => undo.mutate({ lines: undoable, undo: true })}>
            {t('action.undoShort')}
          </Button>
        )}
        <Button isMain onClick={onClose} data-autofocus>
          {t('common.close')}
        </Button>
      </div>
    </div>
  );
};

/** Shows who gets what, asks, says what happened, and offers the way back. */
export const Give = ({
  integrationId,
  lines,
  target,
  onClose,
}: {
  integrationId: string;
  /** The lines at the moment when the person asked: they leave the list. */
  lines: readonly OrderLine[];
  target: string;
  onClose: () => void;
}) => {
  const { t, rich } = useTexts();
  const [serverId] = useState(lines[0]?.serverId ?? '');
  const { data: player } = useRecipient(serverId, target);
  const buyer = lines[0]?.buyer;
  const give = useDecide(integrationId);
  return (
    <Dialog
      title={t(give.data === undefined ? 'shops.giveTitle' : 'shops.outcome')}
      onClose={onClose}
      isHeld={give.isPending}
    >
      {give.data === undefined ? (
        <form className="stack" {...sending(give.isPending ? undefined : () => give.mutate({ lines, target }))}>
          <section className="card stack" aria-label={t('shops.recipient')}>
            <Recipient serverId={serverId} target={target} />
          </section>
          <ul className="plain small">
            {lines.map((line) => (
              <li key={line.id}>
                <Good line={line} />
              </li>
            ))}
          </ul>
          <p className="dim small">
            {buyer == null ? null : (
              <>{rich('shops.buyer', { name: <Foreign key="name">{buyerIn(buyer)}</Foreign> })} </>
            )}
            {rich('shops.on', { server: <ServerName key="server" id={serverId} /> })}
          </p>
          {give.error === null ? null : <Failed error={give.error} lost="once" />}
          <div className="row end">
            <Button onClick={onClose} disabled={give.isPending} data-autofocus>
              {t('common.cancel')}
            </Button>
            <Button isMain type="submit" isBusy={give.isPending}>
              {t('shops.giveTo', { name: isolated(player?.name ?? target) })}
            </Button>
          </div>
        </form>
      ) : (
        <Outcome
          integrationId={integrationId}
          lines={lines}
          target={target}
          told={give.data}
          sentAt={give.submittedAt}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
};
