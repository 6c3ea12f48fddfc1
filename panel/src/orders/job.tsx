import { useState } from 'react';
import { useTexts } from '../i18n.ts';
import { SelectField, TextField } from '../parts/controls.tsx';
import { plain } from '../parts/text.tsx';
import { type Entry, NamedField, useCatalogue } from './named-field.tsx';
import { type OrderProps, OrderShell } from './shell.tsx';

const MAX_DIGITS = 6;

/** Sets the job and its grade. A job whose grades are not known takes any number. */
export const JobOrder = (props: OrderProps<'job'>) => {
  const { player, draft } = props;
  const { t } = useTexts();
  const [job, setJob] = useState<Entry | undefined>(draft.job);
  const [typed, setTyped] = useState(String(draft.grade ?? 0));
  const useJobs = (text: string | undefined) => useCatalogue(player.serverId, 'jobs', text);
  const grades = job?.grades ?? [];
  const grade = /^\d+$/.test(typed.trim()) ? Number(typed) : undefined;
  const label = grades.find((each) => each.grade === grade)?.label ?? grade?.toString() ?? '…';
  const choose = (entry: Entry): void => {
    setJob(entry);
    setTyped(String(entry.grades?.[0]?.grade ?? 0));
  };
  return (
    <OrderShell
      {...props}
      kind="job"
      isTyped={job?.name !== draft.job?.name || typed !== String(draft.grade ?? grades[0]?.grade ?? 0)}
      blanks={{
        job: <strong key="job">{job === undefined ? '…' : plain(job.label)}</strong>,
        grade: <strong key="grade">{plain(label)}</strong>,
      }}
      body={(common) => (job === undefined || grade === undefined ? undefined : { ...common, job: job.name, grade })}
    >
      {(isTouched) => (
        <div className="row top">
          <NamedField
            label={t('dialog.job.field')}
            chosen={job}
            isMissing={isTouched && job === undefined}
            find={useJobs}
            onChoose={choose}
          />
          {grades.length > 0 ? (
            <SelectField
              label={t('dialog.grade')}
              value={typed}
              onChange={setTyped}
              options={grades.map((each) => [String(each.grade), plain(each.label)] as const)}
            />
          ) : (
            <TextField
              label={t('dialog.grade')}
              value={typed}
              inputMode="numeric"
              maxLength={MAX_DIGITS}
              error={isTouched && grade === undefined ? t('dialog.grade.wrong') : undefined}
              onChange={setTyped}
            />
          )}
        </div>
      )}
    </OrderShell>
  );
};
