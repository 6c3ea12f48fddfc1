import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Command } from '../api.ts';
import { type Batch, countOf, movedOf, useBatchCommands, type useBatches } from '../batches.ts';
import { describeBatch, labelOf } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import type { useCommands } from '../queries.ts';
import { useSession } from '../session.ts';
import { BatchState } from './batch-state.tsx';
import { CommandRow, More, StillRows } from './command-list.tsx';
import { Icon } from './icon.tsx';
import { ServerName } from './server-state.tsx';
import { Foreign } from './text.tsx';
import { Ago } from './time.tsx';

/** A person who looks again within this time has not been away. */
const AWAY_MS = 30 * 60_000;

/** `newest`: the newest row that was shown; `mark`: the newest one of the visit before. */
type Visit = { newest: string; at: number; mark?: string | undefined };

const read = (place: string): Visit | undefined => {
  const text = localStorage.getItem(place);
  return text === null ? undefined : (JSON.parse(text) as Visit);
};

/** The time of the newest row that this person saw on the visit before, in this browser. `newest`: of what is shown now. */
const useLastVisit = (newest: string | undefined): string | undefined => {
  const place = `causeway-journal-${useSession().key.id}`;
  const [mark] = useState(() => {
    const before = read(place);
    return before !== undefined && Date.now() - before.at > AWAY_MS ? before.newest : before?.mark;
  });
  useEffect(() => {
    const before = read(place)?.newest ?? '';
    const latest = newest !== undefined && newest > before ? newest : before;
    if (latest !== '') localStorage.setItem(place, JSON.stringify({ newest: latest, at: Date.now(), mark }));
  }, [newest, mark, place]);
  return mark;
};

const FIRST = 10;

const FirstOnes = ({ id }: { id: string }) => {
  const { t } = useTexts();
  const { data } = useBatchCommands(id);
  const commands = data?.pages[0]?.data.slice(0, FIRST) ?? [];
  return (
    <ul className="inside" aria-label={t('batches.first')}>
      {commands.map((command) => (
        <li key={command.id}>
          <CommandRow command={command} />
        </li>
      ))}
      <li>
        <Link to="/batches/$id" params={{ id }} className="command">
          {t('batches.all')}
        </Link>
      </li>
    </ul>
  );
};

/** A batch as one row of the journal, which opens its first commands. */
const BatchRow = ({ batch }: { batch: Batch }) => {
  const { t, number, texts } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const { id, total, serverId, actor, createdAt } = batch;
  const label = labelOf(texts, batch);
  const what = describeBatch(texts, batch);
  const done = countOf(batch, 'succeeded', 'resolved_applied');
  return (
    <>
      <div className="command batch">
        <span className="when dim">
          <Ago iso={createdAt} isShort />
        </span>
        <span className="how">
          <BatchState batch={batch} />
        </span>
        <span className="what">
          <button
            type="button"
            className="fold-out"
            aria-expanded={isOpen}
            aria-label={t('batches.open', { label: label ?? what })}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'down' : 'right'} />
          </button>
          <Link to="/batches/$id" params={{ id }}>
            {label === null ? what : <Foreign>{label}</Foreign>}
          </Link>
        </span>
        <span className="target">{t('batches.done', { done: number(done), total: number(total) })}</span>
        <span className="delta">{movedOf(texts, batch)}</span>
        <span className="by dim">
          <Foreign>{actor.name}</Foreign>
        </span>
        <span className="on dim">
          <ServerName id={serverId} />
        </span>
      </div>
      {isOpen ? <FirstOnes id={id} /> : null}
    </>
  );
};

/** A row of the journal: a command, or a batch that stands for its commands. */
type Entry = { id: string; createdAt: string; command?: Command; batch?: Batch };
type Pages = { data: { pages: { data: { id: string; createdAt: string }[] }[] } | undefined; hasNextPage: boolean };

/** The lists that are shown; undefined: not wanted. */
export type Lists = {
  commands: ReturnType<typeof useCommands> | undefined;
  batches: ReturnType<typeof useBatches> | undefined;
};

/** The time down to which a list is known; undefined: all of it is. */
const horizonOf = ({ data, hasNextPage }: Pages): string | undefined =>
  hasNextPage ? data?.pages.at(-1)?.data.at(-1)?.createdAt : undefined;

/** Both lists in one, the newest first, as far down as both are known; and the list to read on in. */
const merged = ({ commands, batches }: Lists) => {
  const ofCommands = (commands && horizonOf(commands)) ?? '';
  const ofBatches = (batches && horizonOf(batches)) ?? '';
  const horizon = ofCommands > ofBatches ? ofCommands : ofBatches;
  const entries: Entry[] = [
    ...(commands?.data?.pages.flatMap(({ data }) => data) ?? []).map((command) => ({ ...command, command })),
    ...(batches?.data?.pages.flatMap(({ data }) => data) ?? []).map((batch) => ({ ...batch, batch })),
  ];
  const rows = entries.filter(({ createdAt }) => createdAt >= horizon);
  rows.sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0));
  return { rows, next: ofBatches > ofCommands ? batches : (commands ?? batches) };
};

const keyOf = ({ id }: Entry): string => id;

/** The rows of the journal, with a mark above the first one that was there on the last visit. */
export const JournalRows = ({
  list,
  most,
  ...lists
}: Lists & {
  list: string | undefined;
  /** No more than these, which are not a visit of the journal. */
  most?: number;
}) => {
  const { t } = useTexts();
  const { rows: all, next } = merged(lists);
  const rows = all.slice(0, most);
  const mark = useLastVisit(most === undefined ? rows[0]?.createdAt : undefined);
  const isFirstOld = (entry: Entry, above: Entry | undefined): boolean =>
    most === undefined &&
    mark !== undefined &&
    above !== undefined &&
    above.createdAt > mark &&
    entry.createdAt <= mark;
  return (
    <>
      <StillRows rows={rows} keyOf={keyOf} list={list}>
        {(entry, above) => (
          <li key={entry.id}>
            {isFirstOld(entry, above) ? <p className="mark">{t('journal.lastVisit')}</p> : null}
            {entry.command === undefined ? null : <CommandRow command={entry.command} />}
            {entry.batch === undefined ? null : <BatchRow batch={entry.batch} />}
          </li>
        )}
      </StillRows>
      {next === undefined || most !== undefined ? null : <More query={next} />}
    </>
  );
};
