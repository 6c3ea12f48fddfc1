import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../i18n.ts';
import { plain } from '../parts/text.tsx';
import { type Entry, NamedField, useCatalogue } from './named-field.tsx';
import { type OrderProps, OrderShell } from './shell.tsx';

/** Sets the job and its grade. */
export const JobOrder = (props: OrderProps<'job'>) => {
  const { player, draft } = props;
  const { t } = useTexts();
  const [job, setJob] = useState<Entry | undefined>(draft.job);
  const [grade, setGrade] = useState(draft.grade ?? 0);
  const useJobs = (text: string | undefined) => useCatalogue(player.serverId, 'jobs', text);
  const grades = job?.grades ?? [{ grade, label: String(grade) }];
  const label = grades.find((each) => each.grade === grade)?.label ?? String(grade);
  const choose = (entry: Entry): void => {
    setJob(entry);
    setGrade(entry.grades?.[0]?.grade ?? 0);
  };
  return (
    <OrderShell
      {...props}
      kind="job"
      isTyped={job?.name !== draft.job?.name}
      blanks={{
        job: <strong key="job">{job === undefined ? '…' : plain(job.label)}</strong>,
        grade: <strong key="grade">{plain(label)}</strong>,
      }}
      body={(common) => job && { ...common, job: job.name, grade }}
    >
      {(isTouched) => (
        <div className="row top">
          <NamedField
            label={t('dialog.job.field')}
            chosen={job}
            isMissing={isTouched && job === undefined}
            isFixed={draft.undoes !== undefined}
            find={useJobs}
            onChoose={choose}
          />
          <NativeSelect
            label={t('dialog.grade')}
            value={String(grade)}
            onChange={(event) => setGrade(Number(event.currentTarget.value))}
            data={grades.map((each) => ({ value: String(each.grade), label: plain(each.label) }))}
          />
        </div>
      )}
    </OrderShell>
  );
};
