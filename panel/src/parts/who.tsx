import type { PlayerSummary } from '../api.ts';
import { ServerName } from './server-state.tsx';
import { Foreign } from './text.tsx';

const MAX_SHOWN = 12;
const HEAD = 4;
const TAIL = 2;

/** An identifier in a row: the hash in it is cut in the middle, such as `char1:1adb…6f`. */
export const shortId = (identifier: string): string => {
  const cut = identifier.lastIndexOf(':') + 1;
  const hash = identifier.slice(cut);
  if (hash.length <= MAX_SHOWN) return identifier;
  return `${identifier.slice(0, cut)}${hash.slice(0, HEAD)}…${hash.slice(-TAIL)}`;
};

/** The facts that tell players of one name apart: `Police · #12 · main · char1:1adb…6f`. */
export const Who = ({ player: { online, gameId, identifier, job, serverId } }: { player: PlayerSummary }) => (
  <>
    {job === null ? null : (
      <>
        <Foreign>{job.label}</Foreign>
        {' · '}
      </>
    )}
    {online && gameId !== null ? `#${gameId} · ` : null}
    <ServerName id={serverId} />
    {' · '}
    <Foreign>{shortId(identifier)}</Foreign>
  </>
);
