import type { PlayerSummary } from '../api.ts';
import { shortId } from './short-id.ts';
import { Foreign } from './text.tsx';

/** The facts that tell players of one name apart: `#12 · char1:1adb…6f · Police · main`. */
export const Who = ({ player: { online, gameId, identifier, job, serverId } }: { player: PlayerSummary }) => (
  <>
    {online && gameId !== null ? `#${gameId} · ` : null}
    <Foreign>{shortId(identifier)}</Foreign>
    {' · '}
    {job === null ? null : (
      <>
        <Foreign>{job.label}</Foreign>
        {' · '}
      </>
    )}
    <Foreign>{serverId}</Foreign>
  </>
);
