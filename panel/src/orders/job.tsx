import { useState } from 'react';
import { readGrade } from '../amount.ts';
import { plain } from '../parts/text.tsx';
import { JobFields } from './job-fields.tsx';
import type { Entry } from './named-field.tsx';
import { type OrderProps, OrderShell } from './shell.tsx';

/** Sets the job and its grade. */
export const JobOrder = (props: OrderProps<'job'>) => {
  const { player, draft } = props;
  const [job, setJob] = useState<Entry | undefined>(draft.job);
  const [typed, setTyped] = useState(String(draft.grade ?? 0));
  const grades = job?.grades ?? [];
  const grade = readGrade(typed);
  const label = grades.find((each) => each.grade === grade)?.label ?? grade?.toString() ?? '…';
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
        <JobFields
          serverId={player.serverId}
          job={job}
          grade={typed}
          isTouched={isTouched}
          onChange={(change) => {
            if (change.job !== undefined) setJob(change.job);
            setTyped(change.grade);
          }}
        />
      )}
    </OrderShell>
  );
};
