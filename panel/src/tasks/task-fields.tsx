import { useRules } from '../commands/catalogue.ts';
import { FormFields, ThingField } from '../commands/form-fields.tsx';
import { CUSTOM, isCustomName, type Kind, kindOf, nameOfKind, newDraft } from '../commands/kinds.ts';
import { useTexts } from '../i18n.ts';
import { AreaField, CheckField, SelectField } from '../parts/controls.tsx';
import { PlayerFilter } from '../parts/player-filter.tsx';
import { plain } from '../parts/text.tsx';
import { useMay, useMaySend } from '../session.ts';
import { namesPlayer, readPlayers, type TaskDraft } from './task.ts';

const BATCH_KINDS: readonly Kind[] = ['give', 'take', 'giveItem', 'takeItem', 'giveVehicle', 'job'];

/** The commands of batches that the key may use; `isTimed`: of schedules, where those with players become batches. */
export const useTaskKinds = (isTimed = false): Kind[] => {
  const may = useMay();
  const maySend = useMaySend();
  const kinds: Kind[] = isTimed && !may('commands:batch') ? [] : [...BATCH_KINDS];
  return [...kinds, ...(isTimed ? (['announce'] as const) : [])].filter((kind) => maySend(nameOfKind(kind)));
};

/** The rules of a task: a declared command that names no player is none for many. */
export const useTaskRules = (serverId: string) => {
  const may = useMay();
  const rules = useRules(serverId);
  const customs = may('commands:batch') ? [...rules.customs].filter(([, action]) => namesPlayer(action)) : [];
  return { ...rules, customs: new Map(customs) };
};

type Fields = { task: TaskDraft; isTouched: boolean; onChange: (change: Partial<TaskDraft>) => void };

/** The players: a pasted list, or all that are online, have a job, or both. The command may wait for them. */
const TaskPlayers = ({
  task: { players, isEverybody, job, isPatient },
  isTouched,
  areGiven,
  serverId,
  onChange,
}: Fields & { areGiven: boolean; serverId: string }) => {
  const { t, count } = useTexts();
  const listed = readPlayers(players).length;
  const add = (identifier: string): void => onChange({ players: `${players.trimEnd()}\n${identifier}`.trimStart() });
  return (
    <>
      {areGiven ? null : (
        <>
          <CheckField
            label={t('task.everybody')}
            checked={isEverybody}
            onChange={(isChecked) => onChange({ isEverybody: isChecked })}
          />
          <ThingField
            label={t('task.job')}
            description={job === '' ? undefined : t(isEverybody ? 'task.bothHint' : 'task.jobHint')}
            serverId={serverId}
            kind="jobs"
            value={job}
            isFree
            onChoose={({ name }) => onChange({ job: name })}
            onClear={() => onChange({ job: '' })}
          />
        </>
      )}
      {isEverybody || job !== '' || areGiven ? null : (
        <>
          <PlayerFilter
            label={t('task.add')}
            target={undefined}
            name={undefined}
            serverId={serverId}
            onChange={(identifier) => identifier !== undefined && add(identifier)}
          />
          <AreaField
            label={t('task.players')}
            description={listed === 0 ? t('task.playersHint') : count('players.count', listed)}
            value={players}
            rows={5}
            spellCheck={false}
            error={isTouched && listed === 0 ? t('custom.field.missing') : undefined}
            onChange={(text) => onChange({ players: text })}
          />
        </>
      )}
      <CheckField
        label={t('task.wait')}
        checked={isPatient}
        onChange={(isChecked) => onChange({ isPatient: isChecked })}
      />
    </>
  );
};

export const TaskFields = ({
  kinds,
  serverId,
  arePlayersGiven = false,
  isKept = false,
  ...fields
}: Fields & {
  kinds: readonly Kind[];
  serverId: string;
  /** They were chosen before, so the form does not ask for them. */
  arePlayersGiven?: boolean;
  /** It is stored and not changed: then it needs no reason. */
  isKept?: boolean;
}) => {
  const { t } = useTexts();
  const { task, isTouched, onChange } = fields;
  const { command } = task;
  const known = useTaskRules(serverId);
  const rules = isKept ? { ...known, reasonFor: [] } : known;
  const declared = [...rules.customs.keys()].map((name) => CUSTOM + name);
  const chosen = kindOf(command) ?? command.name;
  // One of another server stays the chosen one, until a person chooses again.
  const offered = [...new Set([...kinds, ...declared, chosen])];
  const isUnknown = isCustomName(command.name) && !declared.includes(command.name);
  const choose = (name: string): void => {
    const kind = offered.find((each): each is Kind => each === name && !isCustomName(each));
    // What was typed stays, as far as the next command has such a field.
    const isLike = kind !== undefined && !isCustomName(command.name);
    const next = kind === undefined ? { name, given: {}, typed: {} } : newDraft(kind, isLike ? command.typed : {});
    onChange({ command: next });
  };
  return (
    <>
      <SelectField
        label={t('journal.command')}
        value={chosen}
        error={isUnknown ? t('code.action_not_found') : undefined}
        onChange={choose}
        options={offered.map(
          (each) =>
            [each, isCustomName(each) ? plain(each.slice(CUSTOM.length)) : t(`action.${each as Kind}`)] as const,
        )}
      />
      {isUnknown ? null : (
        <FormFields
          draft={command}
          serverId={serverId}
          rules={rules}
          isTouched={isTouched}
          isForMany
          onType={(typed) => onChange({ command: { ...command, typed: { ...command.typed, ...typed } } })}
        />
      )}
      {chosen === 'announce' ? null : <TaskPlayers {...fields} serverId={serverId} areGiven={arePlayersGiven} />}
    </>
  );
};
