import { useTexts } from '../i18n.ts';
import { JobFields } from '../orders/job-fields.tsx';
import { NamedField, useCatalogue } from '../orders/named-field.tsx';
import { AccountField, MessageField, NumberField, ReasonField } from '../parts/common-fields.tsx';
import { SelectField } from '../parts/controls.tsx';
import { plain } from '../parts/text.tsx';
import { useCustomCommands, useServers } from '../queries.ts';
import { useMay, useSession } from '../session.ts';
import { CustomTask } from './custom-task.tsx';
import {
  type BuiltInTask,
  customTask,
  isCustomTask,
  MAX_COUNT,
  namesPlayer,
  scopeOfTask,
  type TaskDraft,
  type TaskKind,
} from './task.ts';
import { TaskPlayers } from './task-players.tsx';

/** The commands of batches. */
export const BATCH_KINDS: readonly BuiltInTask[] = ['give', 'take', 'giveItem', 'takeItem', 'giveVehicle', 'job'];

type Fields = {
  serverId: string;
  draft: TaskDraft;
  isTouched: boolean;
  /** They were chosen before, so the form does not ask for them. */
  arePlayersGiven?: boolean;
  onChange: (change: Partial<TaskDraft>) => void;
};

/** The offered commands that the key may use. */
export const useTaskKinds = (offered: readonly TaskKind[]): TaskKind[] => {
  const may = useMay();
  return offered.filter((kind) => may(scopeOfTask(kind)));
};

/** The commands of schedules; those with players become batches. */
export const useScheduleKinds = (): TaskKind[] => {
  const may = useMay();
  const kinds = useTaskKinds([...BATCH_KINDS, 'announce']);
  return kinds.filter((kind) => kind === 'announce' || may('commands:batch'));
};

/** The largest amount of one money command, and the language of numbers. */
export const useBounds = () => {
  const { locale } = useTexts();
  const { project } = useSession();
  return { locale, max: Math.min(project.maxAmount ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER) };
};

const useServer = (serverId: string) => useServers().data?.find((server) => server.serverId === serverId);

/** The declared commands of a game server that name a player. */
const useCustoms = (serverId: string) => {
  const may = useMay();
  const { data = [] } = useCustomCommands(useServer(serverId));
  return may('commands:batch') ? data.filter(namesPlayer) : [];
};

/** The rules by which a form reads its task. */
export const useTaskRules = (serverId: string) => ({ ...useBounds(), customs: useCustoms(serverId) });

/** The accounts that the game server reports; none: they are not known. */
const useAccounts = (serverId: string): readonly string[] => useServer(serverId)?.bridge?.accounts ?? [];

const MoneyTask = ({ serverId, draft, isTouched, onChange }: Fields) => {
  const { t } = useTexts();
  const { max } = useBounds();
  const known = useAccounts(serverId);
  return (
    <div className="row top">
      <AccountField
        known={known}
        value={draft.account}
        error={isTouched && draft.account.trim() === '' ? t('custom.field.missing') : undefined}
        onChange={(account) => onChange({ account })}
      />
      <NumberField
        label={t('task.amount')}
        value={draft.amount}
        max={max}
        isTouched={isTouched}
        onChange={(amount) => onChange({ amount })}
      />
    </div>
  );
};

const ItemTask = ({ serverId, draft, isTouched, onChange }: Fields) => {
  const { t } = useTexts();
  const useItems = (text: string | undefined) => useCatalogue(serverId, 'items', text);
  return (
    <div className="row top">
      <NamedField
        label={t('dialog.item')}
        chosen={draft.item}
        isMissing={isTouched && draft.item === undefined}
        isLater
        find={useItems}
        onChoose={({ name, label }) => onChange({ item: { name, label } })}
      />
      <NumberField
        label={t('task.count')}
        value={draft.count}
        max={MAX_COUNT}
        isTouched={isTouched}
        onChange={(count) => onChange({ count })}
      />
    </div>
  );
};

const VehicleTask = ({ serverId, draft, isTouched, onChange }: Fields) => {
  const { t } = useTexts();
  const useModels = (text: string | undefined) => useCatalogue(serverId, 'vehicles', text);
  return (
    <NamedField
      label={t('dialog.model')}
      description={t('task.plates')}
      chosen={draft.model}
      isMissing={isTouched && draft.model === undefined}
      isLater
      find={useModels}
      onChoose={({ name, label }) => onChange({ model: { name, label } })}
    />
  );
};

/** The fields of a command of this kind, beside a reason and its players. */
const KindFields = (fields: Fields) => {
  const { serverId, draft, isTouched, onChange } = fields;
  switch (draft.kind) {
    case 'give':
    case 'take':
      return <MoneyTask {...fields} />;
    case 'giveVehicle':
      return <VehicleTask {...fields} />;
    case 'job':
      return (
        <JobFields
          serverId={serverId}
          job={draft.job}
          grade={draft.grade}
          isTouched={isTouched}
          isLater
          onChange={onChange}
        />
      );
    default:
      return <ItemTask {...fields} />;
  }
};

/** The command of a batch or a schedule, and its players. */
export const TaskFields = ({ kinds, ...fields }: Fields & { kinds: readonly TaskKind[] }) => {
  const { t } = useTexts();
  const { serverId, draft, isTouched, onChange } = fields;
  const { kind, reason, message } = draft;
  const customs = useCustoms(serverId);
  // One of another server stays the chosen one, until a person chooses again.
  const offered = [...new Set([...kinds, ...customs.map(customTask), kind])];
  const nameOf = (each: TaskKind): string =>
    isCustomTask(each) ? plain(each.slice('custom:'.length)) : t(`action.${each}`);
  const action = customs.find((each) => customTask(each) === kind);
  return (
    <>
      <SelectField
        label={t('journal.command')}
        value={kind}
        error={isCustomTask(kind) && action === undefined ? t('code.action_not_found') : undefined}
        onChange={(value) => onChange({ kind: value, custom: {} })}
        options={offered.map((each) => [each, nameOf(each)] as const)}
      />
      {kind === 'announce' ? (
        <MessageField value={message} isTouched={isTouched} onChange={(text) => onChange({ message: text })} />
      ) : (
        <>
          {isCustomTask(kind) ? (
            action && <CustomTask {...fields} action={action} />
          ) : (
            <>
              <KindFields {...fields} />
              <ReasonField value={reason} isTouched={isTouched} onChange={(text) => onChange({ reason: text })} />
            </>
          )}
          <TaskPlayers
            draft={draft}
            isTouched={isTouched}
            areGiven={fields.arePlayersGiven === true}
            onChange={onChange}
          />
        </>
      )}
    </>
  );
};
