import { Link } from '@tanstack/react-router';
import type { Command, Player } from '../api.ts';
import { brief, changeOf, describe, senderOf } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { openUndo } from '../open-order.ts';
import { detailOf, FromServer, useLabels } from '../parts/command-list.tsx';
import { Icon } from '../parts/icon.tsx';
import { explainCode, Loaded } from '../parts/state.tsx';
import { Status } from '../parts/status.tsx';
import { Foreign, plain } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { useCommands } from '../queries.ts';
import { useStill } from '../still.ts';
import { canUndo, useOffers } from './offers.ts';

const SHOWN = 10;
const keyOf = ({ id }: Command): string => id;

const Line = ({ command, mayUndo }: { command: Command; mayUndo: boolean }) => {
  const texts = useTexts();
  const { t } = texts;
  const detail = detailOf(texts, command);
  const labelled = useLabels(command);
  return (
    <tr>
      <td className="dim time">
        <Ago iso={command.createdAt} isShort />
      </td>
      <td>
        <div className="what">
          <Link to="/journal/$id" params={{ id: command.id }} title={plain(detail)}>
            {brief(texts, labelled)}
            <FromServer command={command} />
          </Link>
          <span className="dim why">
            <Foreign>{detail}</Foreign>
          </span>
          {command.status === 'succeeded' ? null : (
            <Status command={command} title={command.error && explainCode(texts, command.error)} />
          )}
        </div>
      </td>
      <td className="figure delta">{changeOf(texts, labelled)}</td>
      <td className="dim by">
        <span className="actor">
          <Foreign>{senderOf(command)}</Foreign>
        </span>
        {mayUndo ? (
          <button
            type="button"
            className="ghost undo"
            title={t('action.undoShort')}
            aria-label={t('action.undoNamed', { what: describe(texts, command) })}
            onClick={() => openUndo(command)}
          >
            <Icon name="undo" />
          </button>
        ) : null}
      </td>
    </tr>
  );
};

const Rows = ({ player, commands }: { player: Player; commands: readonly Command[] }) => {
  const { t, count } = useTexts();
  const offers = useOffers();
  const { rows, news, pointer } = useStill(commands, keyOf, player.identifier);
  return (
    <>
      <p className="dim news" role="status">
        {news === 0 ? null : count('list.news', news)}
      </p>
      <table {...pointer}>
        <thead>
          <tr>
            <th className="time">{t('player.time')}</th>
            <th>{t('player.what')}</th>
            <th className="figure delta">{t('player.change')}</th>
            <th className="by">
              <bdi>{t('player.by')}</bdi>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map((command) => (
            <Line key={command.id} command={command} mayUndo={canUndo(offers, player, command)} />
          ))}
        </tbody>
      </table>
    </>
  );
};

/** The last commands for the player. */
export const History = ({ player }: { player: Player }) => {
  const { t } = useTexts();
  const filters = { target: player.identifier, serverId: player.serverId };
  const query = useCommands(filters);
  return (
    <section className="section history">
      <div className="row between">
        <h2>{t('player.history')}</h2>
        <Link to="/journal" search={{ ...filters, range: 'custom' }}>
          {t('player.wholeHistory')}
        </Link>
      </div>
      <Loaded query={query}>
        {({ pages }) => {
          const commands = pages.flatMap(({ data }) => data);
          if (commands.length === 0) return <p className="dim">{t('player.noHistory')}</p>;
          return <Rows player={player} commands={commands} />;
        }}
      </Loaded>
    </section>
  );
};
