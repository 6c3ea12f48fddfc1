import { Link } from '@tanstack/react-router';
import type { Player } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { CopyShort } from '../parts/copy.tsx';
import { Foreign, plain } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { type Pair, Pairs, textOf } from '../parts/values.tsx';
import { playedText } from './row.tsx';

const MAX_SHOWN = 64;
/** Whether a field of the metadata stands elsewhere: in the head, or in a row of its own. */
const isShown = (name: string, { job, group, playedMinutes }: Player): boolean => {
  if (name === 'job' || name === 'jobLabel' || name === 'jobGrade') return job !== null;
  return (name === 'group' && group !== null) || (name === 'playedMinutes' && playedMinutes !== null);
};

/** A name of the game in words: `dateOfBirth` is *Date of birth*. */
const worded = (name: string): string => {
  const words = name.replaceAll(
    /([a-z\d])([A-Z])/g,
    (_, end: string, start: string) => `${end} ${start.toLowerCase()}`,
  );
  const text = words.replaceAll('_', ' ').trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** Further facts about the player; the raw names of the game are in the titles. */
export const About = ({ player }: { player: Player }) => {
  const texts = useTexts();
  const { t } = texts;
  const { group, playedMinutes, online, firstSeenAt, lastSeenAt, syncedAt, metadata } = player;
  const rows: Pair[] = [
    [t('player.firstSeen'), <Ago key="first" iso={firstSeenAt} />],
    [t('player.lastSeen'), online ? null : <Ago key="last" iso={lastSeenAt} />],
    [t('player.updated'), <Ago key="updated" iso={syncedAt} />],
  ];
  if (playedMinutes !== null) rows.unshift([t('players.column.played'), playedText(texts, player), 'playedMinutes']);
  if (group !== null) rows.unshift([t('players.column.group'), <Foreign key="group">{group}</Foreign>, 'group']);
  for (const [name, value] of Object.entries(metadata).slice(0, MAX_SHOWN)) {
    if (isShown(name, player)) continue;
    rows.push([worded(plain(name)), <Foreign key={name}>{textOf(value)}</Foreign>, name]);
  }
  return (
    <section className="section about">
      <h2>{t('player.about')}</h2>
      <Pairs of={rows} />
    </section>
  );
};

export const Identifiers = ({ player: { identifier, identifiers } }: { player: Player }) => {
  const { t } = useTexts();
  return (
    <section className="section identifiers">
      <h2>{t('player.identifiers')}</h2>
      <ul className="plain">
        {[identifier, ...identifiers.filter((each) => each !== identifier)].map((each) => (
          <li key={each}>
            <CopyShort text={each} />
          </li>
        ))}
      </ul>
    </section>
  );
};

/** Other players of the same person. */
export const AlsoKnown = ({ player: { identifier, name, alsoOn, alsoKnown } }: { player: Player }) => {
  const { t } = useTexts();
  if (alsoOn.length + alsoKnown.length === 0) return null;
  const others = [...alsoOn.map((serverId) => ({ serverId, identifier, name })), ...alsoKnown];
  return (
    <section className="section">
      <h2>{t('player.alsoKnown')}</h2>
      <ul className="plain">
        {others.map((other) => (
          <li key={`${other.serverId} ${other.identifier}`} className="row between tight">
            <Link
              to="/players/$serverId/$identifier"
              params={{ serverId: other.serverId, identifier: other.identifier }}
              title={plain(other.identifier)}
            >
              <Foreign>{other.name}</Foreign>
            </Link>
            <span className="dim">
              <Foreign>{other.serverId}</Foreign>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
};
