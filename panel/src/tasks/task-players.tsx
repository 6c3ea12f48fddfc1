import { Checkbox, Textarea } from '@mantine/core';
import { useTexts } from '../i18n.ts';
import { readPlayers, type TaskDraft } from './task.ts';

/** The players: a pasted list, or all that are online. The command may wait for them. */
export const TaskPlayers = ({
  draft: { players, isEverybody, isPatient },
  isTouched,
  areGiven,
  onChange,
}: {
  draft: TaskDraft;
  isTouched: boolean;
  /** They were chosen before. */
  areGiven: boolean;
  onChange: (change: Partial<TaskDraft>) => void;
}) => {
  const { t, count } = useTexts();
  const listed = readPlayers(players).length;
  return (
    <>
      {areGiven ? null : (
        <Checkbox
          label={t('task.everybody')}
          checked={isEverybody}
          onChange={(event) => onChange({ isEverybody: event.currentTarget.checked })}
        />
      )}
      {isEverybody || areGiven ? null : (
        <Textarea
          label={t('task.players')}
          description={listed === 0 ? t('task.playersHint') : count('players.count', listed)}
          value={players}
          rows={5}
          spellCheck={false}
          error={isTouched && listed === 0 ? t('custom.field.missing') : undefined}
          onChange={(event) => onChange({ players: event.currentTarget.value })}
        />
      )}
      <Checkbox
        label={t('task.wait')}
        checked={isPatient}
        onChange={(event) => onChange({ isPatient: event.currentTarget.checked })}
      />
    </>
  );
};
