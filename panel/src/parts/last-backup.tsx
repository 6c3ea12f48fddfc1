import type { Schemas } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Ago } from './time.tsx';

/** When the last good backup was made, and whether one failed. Nothing for a hub that makes none. */
export const LastBackup = ({ health: { backup } }: { health: Schemas['Health'] }) => {
  const { t, rich } = useTexts();
  if (backup === undefined) return null;
  const { status, lastGoodAt } = backup;
  return (
    <p {...(status === 'warn' ? { role: 'alert' } : { className: 'dim small' })}>
      {lastGoodAt === null
        ? t('project.noBackup')
        : rich('project.backup', { time: <Ago key="time" iso={lastGoodAt} /> })}
      {status === 'warn' ? ` ${t('project.backupFailed')}` : null}
    </p>
  );
};
