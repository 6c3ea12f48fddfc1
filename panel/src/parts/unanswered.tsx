import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { hub } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { EVERY_MS } from '../queries.ts';
import { useMay, useSession } from '../session.ts';
import { endRequest, type Unanswered, useSentBefore, useUnanswered } from '../unanswered.ts';
import { Button, Note } from './controls.tsx';
import { Foreign } from './text.tsx';
import { Ago } from './time.tsx';

/** The clocks of hub and browser may differ by less. */
const SLACK_MS = 60_000;
const MOST = 200;
/** The hub is asked about each of those that are shown. */
const SHOWN = 3;
/** The lists that are searched; other pages show it by themselves. */
const [JOURNAL, BATCHES] = ['/journal', '/batches'];

/** The command or batch of a request, found by the request's id. `isAll`: all rows that could have it were read. */
const useMade = ({ key, path, at }: Unanswered) => {
  const may = useMay();
  const { key: actor } = useSession();
  const query = { actor: actor.id, since: new Date(at - SLACK_MS).toISOString(), limit: MOST };
  return useQuery({
    queryKey: ['unanswered', key],
    queryFn: async () => {
      const { data, pagination } =
        path === BATCHES
          ? await hub.request('get', '/api/v2/batches', { query })
          : await hub.request('get', '/api/v2/commands', { query: { ...query, batches: 'none' } });
      return { made: data.find(({ requestId }) => requestId === key), isAll: pagination.next === null };
    },
    enabled: (path === JOURNAL || path === BATCHES) && may('commands:read'),
    refetchInterval: EVERY_MS,
  });
};

/** Says what the hub knows of a request, and leads there. All of it is here before the hub may be away. */
const Made = ({ of }: { of: Unanswered }) => {
  const { t } = useTexts();
  const may = useMay();
  const { made, isAll } = useMade(of).data ?? {};
  if (!may('commands:read')) return null;
  if (made === undefined)
    return isAll === true ? t('unanswered.none') : <Link to={of.path}>{t('unanswered.look')}</Link>;
  const { executed, settledAt } = { executed: 'unknown', ...made };
  const is = executed === 'yes' ? executed : executed === 'no' && settledAt !== null ? executed : 'stored';
  const path: string = `${of.path}/${made.id}`;
  return <Link to={path}>{t(`unanswered.${is}`)}</Link>;
};

/** The requests of this browser that got no answer, and that no dialog waits for. */
export const UnansweredRequests = () => {
  const { t, rich, count } = useTexts();
  const left = useUnanswered().filter(({ tab }) => tab === undefined);
  const more = left.length - SHOWN;
  const notes = left.slice(-SHOWN).map((each) => (
    <Note key={each.key} ink="wait" role="status" data-unanswered>
      <p>
        {rich('unanswered.says', {
          what: each.what === '' ? t('unanswered.wordless') : <Foreign key="what">{each.what}</Foreign>,
          time: <Ago key="time" iso={new Date(each.at).toISOString()} />,
        })}{' '}
        <Made of={each} />
      </p>
      <p className="row">
        <span className="dim">{t('unanswered.same')}</span>
        <Button isSmall onClick={() => endRequest(each.key)}>
          {t('unanswered.forget')}
        </Button>
      </p>
    </Note>
  ));
  return (
    <>
      {more > 0 ? <p className="dim">{count('unanswered.more', more)}</p> : null}
      {notes}
    </>
  );
};

/** Says before requests are sent that the same one got no answer. `about`: what this request is about, if there are several. */
export const SentBefore = ({ requests, about }: { requests: readonly object[]; about?: string | undefined }) => {
  const { rich } = useTexts();
  const before = useSentBefore(requests);
  if (before === undefined) return null;
  const time = <Ago key="time" iso={new Date(before.at).toISOString()} />;
  return (
    <Note ink="wait" role="status" data-sent-before>
      {about === undefined ? null : (
        <>
          <Foreign>{about}</Foreign>:{' '}
        </>
      )}
      {rich('unanswered.before', { time })}
    </Note>
  );
};
