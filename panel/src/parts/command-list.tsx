import { Badge, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Command } from '../api.ts';
import { describe, isCustom, OBSTACLES, paramsByRole } from '../commands.tsx';
import { type Texts, useTexts } from '../i18n.ts';
import { STATUS_COLORS } from '../outcomes.ts';
import type { CommandFilters, useCommands } from '../queries.ts';
import { useStill } from '../still.ts';
import { Empty, Loaded } from './state.tsx';
import { Foreign, plain } from './text.tsx';
import { Ago } from './time.tsx';
import { textOf } from './values.tsx';

export const Status = ({ status }: { status: Command['status'] }) => {
  const { t } = useTexts();
  return (
    <Badge color={STATUS_COLORS[status]} variant="light">
      {t(`status.${status}`)}
    </Badge>
  );
};

/** A command's target: the player's name while the player exists, and the identifier. */
export const Target = ({ command: { target, targetName } }: { command: Command }) => {
  if (target === null) return null;
  if (targetName === undefined) return <Foreign>{target}</Foreign>;
  return (
    <>
      <strong>
        <Foreign>{targetName}</Foreign>
      </strong>
      <span className="dim small">
        <Foreign>{target}</Foreign>
      </span>
    </>
  );
};

/** Its obstacle, its reason, and the parameters of a custom one that have no role. The target has its own column. */
export const detailOf = ({ t }: Texts, command: Command): string => {
  const { reason, others } = isCustom(command)
    ? paramsByRole(command)
    : { reason: command.params['reason'], others: {} };
  const waits = command.waitingFor === undefined ? '' : t(OBSTACLES[command.waitingFor]);
  return [waits, typeof reason === 'string' ? reason : '', textOf(others)].filter((text) => text !== '').join(' · ');
};

/** Says of a custom command where it comes from. */
export const FromServer = ({ command }: { command: Command }) => {
  const { rich } = useTexts();
  if (!isCustom(command)) return null;
  const server = <Foreign key="server">{command.serverId}</Foreign>;
  return <span className="dim small"> {rich('custom.fromNamed', { server })}</span>;
};

type Kind = {
  /** All rows belong to the player whose page this is, so their target is not shown. */
  isOfPlayer: boolean;
  /** Opens the dialog that reverses a command. */
  onUndo?: ((command: Command) => void) | undefined;
  canUndo?: ((command: Command) => boolean) | undefined;
};

const Row = ({ command, isOfPlayer, onUndo, canUndo }: { command: Command } & Kind) => {
  const texts = useTexts();
  const detail = detailOf(texts, command);
  const what = describe(texts, command);
  return (
    <li>
      <Link to="/journal/$id" params={{ id: command.id }} className="command">
        <span className="outcome">
          <Status status={command.status} />
        </span>
        <span className="who">
          <strong>
            {what}
            <FromServer command={command} />
          </strong>
          {detail === '' ? null : (
            <span className="dim small">
              <Foreign>{detail}</Foreign>
            </span>
          )}
        </span>
        {isOfPlayer ? null : (
          <span className="target small" title={plain(command.target ?? '')}>
            <Target command={command} />
          </span>
        )}
        <span className="dim small wide">
          <Foreign>{command.actor.name}</Foreign>
        </span>
        <span className="dim small seen">
          <Ago iso={command.createdAt} />
        </span>
      </Link>
      {onUndo === undefined ? null : (
        <span className="undo">
          {canUndo?.(command) === true ? (
            <Button
              size="compact-xs"
              variant="default"
              aria-label={texts.t('action.undoNamed', { what })}
              onClick={() => onUndo(command)}
            >
              {texts.t('action.undoShort')}
            </Button>
          ) : null}
        </span>
      )}
    </li>
  );
};

const keyOf = ({ id }: Command): string => id;

const Rows = ({
  commands,
  list,
  ...kind
}: {
  commands: readonly Command[];
  list: string | undefined;
} & Kind) => {
  const { t, count } = useTexts();
  const { rows, news, pointer } = useStill(commands, keyOf, list);
  return (
    <>
      <p className="dim small news" role="status">
        {news === 0 ? null : count('list.news', news)}
      </p>
      <ul className="commands" aria-label={t('journal.list')} {...pointer}>
        {rows.map((command) => (
          <Row key={command.id} command={command} {...kind} />
        ))}
      </ul>
    </>
  );
};

/** Commands, the newest first. */
export const CommandList = ({
  query,
  filters,
  empty,
  isOfPlayer = false,
  onUndo,
  canUndo,
}: {
  query: ReturnType<typeof useCommands>;
  filters: CommandFilters;
  empty: string;
} & Partial<Kind>) => {
  const { t } = useTexts();
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const commands = pages.flatMap(({ data }) => data);
        if (commands.length === 0) return <Empty title={empty} />;
        return (
          <>
            <Rows
              commands={commands}
              list={query.isPlaceholderData ? undefined : JSON.stringify(filters)}
              isOfPlayer={isOfPlayer}
              onUndo={onUndo}
              canUndo={canUndo}
            />
            {query.hasNextPage ? (
              <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                {t('common.more')}
              </Button>
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
};
