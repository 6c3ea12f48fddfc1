import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Command } from '../api.ts';
import { useJobs } from '../commands/catalogue.ts';
import {
  brief,
  changeOf,
  isCustom,
  labelled,
  OBSTACLES,
  paramsByRole,
  reasonOf,
  senderOf,
  wordsOf,
} from '../commands.tsx';
import { type Texts, useTexts } from '../i18n.ts';
import type { CommandFilters, useCommands } from '../queries.ts';
import { useStill } from '../still.ts';
import { Button } from './controls.tsx';
import { ServerName } from './server-state.tsx';
import { Empty, explainCode, Loaded } from './state.tsx';
import { Status } from './status.tsx';
import { Foreign, plain, shortId } from './text.tsx';
import { Ago } from './time.tsx';
import { textOf } from './values.tsx';

/** The end of an id of the hub, which tells rows apart. */
const END = -8;

/** A command's target: the player's name while the player exists, otherwise the identifier. */
export const Target = ({ command: { target, targetName } }: { command: Command }) =>
  target === null ? null : <Foreign>{targetName?.trim() || shortId(target)}</Foreign>;

/** The details of a command: amount, obstacle, reason, and the parameters of a custom one that have no role. */
export const detailOf = ({ t }: Texts, command: Command): string => {
  const { others } = isCustom(command) ? paramsByRole(command) : { others: {} };
  const undoes = command.undoes === undefined ? '' : t('detail.undo.short');
  const waits = command.waitingFor === undefined ? '' : t(OBSTACLES[command.waitingFor]);
  return [wordsOf(command) ?? '', waits, undoes, reasonOf(command) ?? '', textOf(others)]
    .filter((text) => text !== '')
    .join(' · ');
};

/** Says of a custom command where it comes from. */
export const FromServer = ({ command }: { command: Command }) => {
  const { rich } = useTexts();
  if (!isCustom(command)) return null;
  const server = <ServerName key="server" id={command.serverId} />;
  return <span className="dim small"> {rich('custom.fromNamed', { server })}</span>;
};

/** The command with a job and a grade by their labels. */
export const useLabels = (command: Command): Command => {
  const isJob = command.name === 'job';
  const jobs = useJobs(command.serverId, isJob);
  return isJob ? labelled(command, jobs) : command;
};

/** A command in one line; on phones in two. */
export const CommandRow = ({ command }: { command: Command }) => {
  const texts = useTexts();
  const { id, serverId, createdAt, error, status } = command;
  const detail = detailOf(texts, command);
  const named = useLabels(command);
  return (
    <Link to="/journal/$id" params={{ id }} className="command">
      <span className="when dim">
        <Ago iso={createdAt} isShort />
      </span>
      <span className="how">
        {status === 'succeeded' ? null : (
          <Status command={command} title={error === undefined ? undefined : explainCode(texts, error)} />
        )}
      </span>
      <span className="what">
        <strong>
          {brief(texts, named)}
          <FromServer command={command} />
        </strong>
        <span className="dim why" title={plain(detail)}>
          <Foreign>{detail}</Foreign>
        </span>
      </span>
      <span className="target" title={plain(command.target ?? '')}>
        <Target command={command} />
      </span>
      <span className="delta" title={changeOf(texts, named)}>
        {changeOf(texts, named)}
      </span>
      <span className="by dim">
        <Foreign>{senderOf(command)}</Foreign>
      </span>
      <span className="on dim">
        <ServerName id={serverId} />
      </span>
      <code className="short dim">…{id.slice(END)}</code>
    </Link>
  );
};

/** Rows that keep their place while the pointer is over them. `list`: like that of `useStill`. */
export const StillRows = <T,>({
  rows: given,
  keyOf,
  list,
  children,
}: {
  rows: readonly T[];
  keyOf: (row: T) => string;
  list: string | undefined;
  children: (row: T, above: T | undefined) => ReactNode;
}) => {
  const { t, count } = useTexts();
  const { rows, news, pointer } = useStill(given, keyOf, list);
  return (
    <div className="still">
      <p className="news" role="status">
        {news === 0 ? null : count('list.news', news)}
      </p>
      <ul className="commands" aria-label={t('journal.list')} {...pointer}>
        {rows.map((row, at) => children(row, rows[at - 1]))}
      </ul>
    </div>
  );
};

export const More = ({
  query,
}: {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}) => {
  const { t } = useTexts();
  if (!query.hasNextPage) return null;
  return (
    <div>
      <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {t('common.more')}
      </Button>
    </div>
  );
};

const keyOf = ({ id }: Command): string => id;

/** Commands, the newest first. */
export const CommandList = ({
  query,
  filters,
  empty,
}: {
  query: ReturnType<typeof useCommands>;
  filters: CommandFilters;
  empty: string;
}) => (
  <Loaded query={query} lines={10}>
    {({ pages }) => {
      const commands = pages.flatMap(({ data }) => data);
      if (commands.length === 0) return <Empty title={empty} />;
      return (
        <>
          <StillRows rows={commands} keyOf={keyOf} list={query.isPlaceholderData ? undefined : JSON.stringify(filters)}>
            {(command) => (
              <li key={command.id}>
                <CommandRow command={command} />
              </li>
            )}
          </StillRows>
          <More query={query} />
        </>
      );
    }}
  </Loaded>
);
