import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { PlayerSummary } from '../api.ts';
import { newDraft } from '../commands/kinds.ts';
import { type Texts, useTexts } from '../i18n.ts';
import { openOrder } from '../open-order.ts';
import { CopyShort } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { Foreign, isolated, plain, shortId } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { accountOf, type Column, discordOf, type Shown } from './columns.ts';
import { MoreItems, OF_PHONE_ROW, OF_ROW } from './more-items.tsx';
import type { Offers } from './offers.ts';
import { asCell } from './roles.ts';

const DAY_MINUTES = 24 * 60;

/** A job with its grade, in words. */
export const jobText = ({ job }: PlayerSummary): string =>
  job === null ? '' : [job.label, job.gradeLabel?.trim() || job.grade].filter((part) => part !== null).join(' · ');

/** Time of play: `41 d`, below a day in hours. */
export const playedText = ({ t, number }: Texts, { playedMinutes }: PlayerSummary): string => {
  if (playedMinutes === null) return '';
  return playedMinutes < DAY_MINUTES
    ? t('players.hours', { count: number(Math.floor(playedMinutes / 60)) })
    : t('players.days', { count: number(Math.floor(playedMinutes / DAY_MINUTES)) });
};

/** The number in the game of a player who is online, or how long ago they were. */
const Here = ({ player: { online, gameId, lastSeenAt } }: { player: PlayerSummary }) => {
  if (!online) return <Ago iso={lastSeenAt} isShort />;
  return gameId === null ? null : <span className="ink">#{gameId}</span>;
};

type Props = {
  player: PlayerSummary;
  columns: readonly Shown[];
  serverNames: ReadonlyMap<string, string>;
  offers: Offers;
  /** Its controls are reached with Tab. */
  isActive: boolean;
  /** Undefined: there are no boxes. */
  isChosen: boolean | undefined;
};

const Cell = ({
  column,
  player,
  serverNames,
  tab,
}: Pick<Props, 'player' | 'serverNames'> & { column: Column; tab: number }) => {
  const texts = useTexts();
  const account = accountOf(column);
  if (account !== undefined) {
    const balance = player.accounts[account];
    return balance === undefined ? null : texts.number(balance);
  }
  switch (column) {
    case 'here':
      return <Here player={player} />;
    case 'job':
      return <Foreign>{jobText(player)}</Foreign>;
    case 'group':
      return <Foreign>{player.group ?? ''}</Foreign>;
    case 'discord': {
      const id = discordOf(player);
      return id === undefined ? null : <CopyShort text={id} short={id} tabIndex={tab} />;
    }
    case 'identifier':
      return <CopyShort text={player.identifier} short={shortId(player.identifier)} tabIndex={tab} />;
    case 'server':
      return <Foreign>{serverNames.get(player.serverId) ?? player.serverId}</Foreign>;
    default:
      return playedText(texts, player);
  }
};

/** The style of the cells of a column. */
export const classOf = ({ column, reach }: Shown): string => {
  const isNumber = column === 'here' || column === 'played' || accountOf(column) !== undefined;
  const isDim = ['here', 'server', 'discord', 'identifier', 'group', 'played'].includes(column);
  return [`from-${reach}`, isNumber ? 'figure' : '', isDim ? 'dim' : ''].filter((each) => each !== '').join(' ');
};

const titleOf = (column: Column, player: PlayerSummary): string | undefined =>
  column === 'job' ? plain(jobText(player)) : undefined;

type Tabbed = Pick<Props, 'player' | 'offers'> & { tab: number };

const More = ({ player, offers, tab, first }: Tabbed & { first: typeof OF_ROW | typeof OF_PHONE_ROW }) => {
  const { t } = useTexts();
  return (
    <Menu
      className="ghost"
      name={`${t('action.others')}: ${plain(player.name)}`}
      label={<Icon name="more" />}
      {...(tab < 0 && { tabIndex: tab })}
    >
      {() => <MoreItems player={player} offers={offers} first={first} />}
    </Menu>
  );
};

const Actions = ({ player, offers, tab }: Tabbed) => {
  const { t } = useTexts();
  const { serverId, identifier, name } = player;
  const ghost = (action: 'give' | 'kick') => {
    const order = action === 'give' ? 'money' : 'kick';
    if (!offers.isOffered(serverId, order)) return null;
    const whyNot = offers.whyNot(player, order);
    const label = `${t(`action.${action}`)}: ${isolated(name)}`;
    return (
      <button
        type="button"
        className="ghost"
        tabIndex={tab}
        aria-label={whyNot === undefined ? label : `${label}. ${whyNot}`}
        title={whyNot ?? t(`action.${action}`)}
        aria-disabled={whyNot !== undefined}
        onClick={() => {
          if (whyNot !== undefined) return;
          openOrder({ serverId, identifier, draft: newDraft(action) });
        }}
      >
        <Icon name={action} />
      </button>
    );
  };
  return (
    <>
      {ghost('give')}
      {ghost('kick')}
      <More player={player} offers={offers} tab={tab} first={OF_ROW} />
    </>
  );
};

const NameLink = ({ player, tab }: { player: PlayerSummary; tab: number }) => {
  const { t } = useTexts();
  const { serverId, identifier, online, name } = player;
  return (
    <>
      <span className={online ? 'dot on' : 'dot'} title={t(online ? 'state.online' : 'state.offline')}>
        <span className="unseen">{t(online ? 'state.online' : 'state.offline')}</span>
      </span>
      <Link to="/players/$serverId/$identifier" params={{ serverId, identifier }} tabIndex={tab} title={plain(name)}>
        <Foreign>{name}</Foreign>
      </Link>
    </>
  );
};

const Box = ({ player, isChosen, tab }: { player: PlayerSummary; isChosen: boolean; tab: number }) => {
  const { t } = useTexts();
  return (
    <span {...asCell()} className="box">
      <input
        type="checkbox"
        checked={isChosen}
        tabIndex={tab}
        aria-label={t('players.choose', { name: isolated(player.name) })}
        // The list hears of the click, which tells whether Shift is down.
        onChange={() => undefined}
      />
    </span>
  );
};

/** A player in one line. */
export const Row = memo(({ player, columns, serverNames, offers, isActive, isChosen }: Props) => {
  const tab = isActive ? 0 : -1;
  return (
    <>
      {isChosen === undefined ? null : <Box player={player} isChosen={isChosen} tab={tab} />}
      <span {...asCell()} className="name">
        <NameLink player={player} tab={tab} />
      </span>
      {columns.map((shown) => (
        <span key={shown.column} {...asCell()} className={classOf(shown)} title={titleOf(shown.column, player)}>
          <Cell column={shown.column} player={player} serverNames={serverNames} tab={tab} />
        </span>
      ))}
      <span {...asCell()} className="acts">
        <Actions player={player} offers={offers} tab={tab} />
      </span>
    </>
  );
});

/** A player in two lines, on a phone: the name and an account; below, what tells players apart. */
export const PhoneRow = memo(({ player, columns, serverNames, offers, isActive, isChosen }: Props) => {
  const { number } = useTexts();
  const tab = isActive ? 0 : -1;
  const account = columns.flatMap(({ column }) => accountOf(column) ?? [])[0];
  const balance = account === undefined ? undefined : player.accounts[account];
  const hasServer = columns.some(({ column }) => column === 'server');
  return (
    <>
      {isChosen === undefined ? null : <Box player={player} isChosen={isChosen} tab={tab} />}
      <span {...asCell()} className="name">
        <NameLink player={player} tab={tab} />
      </span>
      <span {...asCell()} className="figure">
        {balance === undefined ? null : number(balance)}
      </span>
      <span {...asCell()} className="second dim">
        {jobText(player) === '' ? null : <Foreign>{jobText(player)}</Foreign>}
        {hasServer ? <Foreign>{serverNames.get(player.serverId) ?? player.serverId}</Foreign> : null}
        <Here player={player} />
      </span>
      {isChosen === undefined ? (
        <span {...asCell()} className="acts">
          <More player={player} offers={offers} tab={tab} first={OF_PHONE_ROW} />
        </span>
      ) : null}
    </>
  );
});
