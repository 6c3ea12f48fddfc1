import { readGrade } from '../amount.ts';
import { useTexts } from '../i18n.ts';
import { SelectField, TextField } from '../parts/controls.tsx';
import { plain } from '../parts/text.tsx';
import { type Entry, NamedField, useCatalogue } from './named-field.tsx';

const MAX_DIGITS = 6;

/** A job and its grade as it is typed. A job whose grades are not known takes any number. */
export const JobFields = ({
  serverId,
  job,
  grade,
  isTouched,
  isLater = false,
  onChange,
}: {
  serverId: string;
  job: Entry | undefined;
  grade: string;
  isTouched: boolean;
  /** They do not take the focus when their form opens. */
  isLater?: boolean;
  onChange: (change: { job?: Entry; grade: string }) => void;
}) => {
  const { t } = useTexts();
  const useJobs = (text: string | undefined) => useCatalogue(serverId, 'jobs', text);
  const grades = job?.grades ?? [];
  const field = {
    label: t('dialog.grade'),
    value: grade,
    onChange: (text: string) => onChange({ grade: text }),
  };
  return (
    <div className="row top">
      <NamedField
        label={t('dialog.job.field')}
        chosen={job}
        isMissing={isTouched && job === undefined}
        isLater={isLater}
        find={useJobs}
        onChoose={(entry) => onChange({ job: entry, grade: String(entry.grades?.[0]?.grade ?? 0) })}
      />
      {grades.length > 0 ? (
        <SelectField {...field} options={grades.map((each) => [String(each.grade), plain(each.label)] as const)} />
      ) : (
        <TextField
          {...field}
          inputMode="numeric"
          maxLength={MAX_DIGITS}
          error={isTouched && readGrade(grade) === undefined ? t('dialog.grade.wrong') : undefined}
        />
      )}
    </div>
  );
};
