import { useTexts } from '../i18n.ts';
import { AreaField, CheckField } from '../parts/controls.tsx';
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
        <CheckField
          label={t('task.everybody')}
          checked={isEverybody}
          onChange={(isChecked) => onChange({ isEverybody: isChecked })}
        />
      )}
      {isEverybody || areGiven ? null : (
        <AreaField
          label={t('task.players')}
          description={listed === 0 ? t('task.playersHint') : count('players.count', listed)}
          value={players}
          rows={5}
          spellCheck={false}
          error={isTouched && listed === 0 ? t('custom.field.missing') : undefined}
          onChange={(text) => onChange({ players: text })}
        />
      )}
      <CheckField
        label={t('task.wait')}
        checked={isPatient}
        onChange={(isChecked) => onChange({ isPatient: isChecked })}
      />
    </>
  );
};
