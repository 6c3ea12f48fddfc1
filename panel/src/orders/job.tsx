import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../i18n.ts';
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
            <NativeSelect
              label={t('dialog.grade')}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              data={grades.map((each) => ({ value: String(each.grade), label: plain(each.label) }))}
            />
          ) : (
            <TextInput
              label={t('dialog.grade')}
              value={typed}
              inputMode="numeric"
              maxLength={MAX_DIGITS}
              error={isTouched && grade === undefined ? t('dialog.grade.wrong') : undefined}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          )}
        </div>
      )}
    </OrderShell>
  );
};
