import type { PlayerSummary } from '../api.ts';
import { ServerName } from './server-state.tsx';
import { Foreign, shortId } from './text.tsx';

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
    <span className="short-id">
      {' · '}
      <Foreign>{shortId(identifier)}</Foreign>
    </span>
  </>
);
