import type { Command } from '../api.ts';
import type { Batch, useBatches } from '../batches.ts';
import { useTexts } from '../i18n.ts';
import { useLastVisit } from '../last-visit.ts';
import type { useCommands } from '../queries.ts';
import { BatchRow } from './batch-row.tsx';
import { CommandRow, More, StillRows } from './command-list.tsx';

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
