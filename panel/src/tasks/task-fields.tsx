import { useTexts } from '../i18n.ts';
import { NamedField, useCatalogue } from '../orders/named-field.tsx';
import { AreaField, SelectField, TextField } from '../parts/controls.tsx';
import { NumberField } from '../parts/number-field.tsx';
import { plain } from '../parts/text.tsx';
import { useServers } from '../queries.ts';
import { useMay, useSession } from '../session.ts';
import { MAX_COUNT, TASK_SCOPES, type TaskDraft, type TaskKind } from './task.ts';
import { TaskPlayers } from './task-players.tsx';

const MAX_REASON = 512;
const MAX_MESSAGE = 1024;
const MAX_ACCOUNT = 64;

/** The commands of batches. */
export const BATCH_KINDS: readonly TaskKind[] = ['give', 'take', 'giveItem', 'takeItem'];

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
  return offered.filter((kind) => may(TASK_SCOPES[kind]));
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

/** The accounts that the game server reports; none: they are not known. */
const useAccounts = (serverId: string): readonly string[] =>
  useServers().data?.find((server) => server.serverId === serverId)?.bridge?.accounts ?? [];

const MoneyTask = ({ serverId, draft, isTouched, onChange }: Fields) => {
  const { t } = useTexts();
  const { max } = useBounds();
  const known = useAccounts(serverId);
  const accounts = known.includes(draft.account) ? known : [draft.account, ...known];
  const field = {
    label: t('dialog.account'),
    value: draft.account,
    error: isTouched && draft.account.trim() === '' ? t('custom.field.missing') : undefined,
    onChange: (account: string) => onChange({ account }),
  };
  return (
    <div className="row top">
      {known.length === 0 ? (
        <TextField {...field} maxLength={MAX_ACCOUNT} />
      ) : (
        <SelectField {...field} options={accounts.map((each) => [each, plain(each)] as const)} />
      )}
      <NumberField
        label={t('task.amount')}
        value={draft.amount}
        max={max}
        isTouched={isTouched}
        onType={(amount) => onChange({ amount })}
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
        onType={(count) => onChange({ count })}
      />
    </div>
  );
};

/** The command of a batch or a schedule, and its players. */
export const TaskFields = ({ kinds, ...fields }: Fields & { kinds: readonly TaskKind[] }) => {
  const { t } = useTexts();
  const { draft, isTouched, onChange } = fields;
  const { kind, reason, message } = draft;
  return (
    <>
      <SelectField
        label={t('journal.command')}
        value={kind}
        onChange={(value) => onChange({ kind: value })}
        options={kinds.map((each) => [each, t(`action.${each}`)] as const)}
      />
      {kind === 'announce' ? (
        <AreaField
          label={t('dialog.message.field')}
          value={message}
          maxLength={MAX_MESSAGE}
          rows={3}
          error={isTouched && message.trim() === '' ? t('dialog.message.missing') : undefined}
          onChange={(text) => onChange({ message: text })}
        />
      ) : (
        <>
          {kind === 'give' || kind === 'take' ? <MoneyTask {...fields} /> : <ItemTask {...fields} />}
          <AreaField
            label={t('common.reason')}
            value={reason}
            maxLength={MAX_REASON}
            rows={2}
            error={isTouched && reason.trim() === '' ? t('dialog.reason.missing') : undefined}
            onChange={(text) => onChange({ reason: text })}
          />
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
