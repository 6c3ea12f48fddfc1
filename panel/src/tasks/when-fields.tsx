import { useTexts } from '../i18n.ts';
import { SelectField, TextField, type TextFieldProps } from '../parts/controls.tsx';
import { RHYTHMS, readWhen, type WhenDraft } from './when.ts';

const MAX_CRON = 128;
/** A Sunday. */
const SUNDAY = Date.UTC(2026, 0, 4);
const DAY_MS = 24 * 60 * 60_000;

const zonesWith = (own: string): string[] => [...new Set([own, 'UTC', ...Intl.supportedValuesOf('timeZone')])];

export const WhenFields = ({
  draft,
  isTouched,
  onChange,
}: {
  draft: WhenDraft;
  isTouched: boolean;
  onChange: (change: Partial<WhenDraft>) => void;
}) => {
  const { t, locale } = useTexts();
  const { rhythm } = draft;
  const isTimed = rhythm === 'day' || rhythm === 'week' || rhythm === 'month';
  const error = isTouched && readWhen(draft) === undefined ? t('custom.field.missing') : undefined;
  const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' });
  type Name = 'at' | 'time' | 'day' | 'cron' | 'minutes';
  const field = (name: Name): TextFieldProps => ({
    value: draft[name],
    error,
    onChange: (text) => onChange({ [name]: text }),
  });
  return (
    <>
      <div className="row top">
        <SelectField
          label={t('schedules.when')}
          value={rhythm}
          onChange={(value) => onChange({ rhythm: value })}
          options={RHYTHMS.map((each) => [each, t(`rhythm.${each}`)] as const)}
        />
        {rhythm === 'once' ? <TextField {...field('at')} type="datetime-local" label={t('schedules.at')} /> : null}
        {rhythm === 'week' ? (
          <SelectField
            label={t('schedules.weekday')}
            value={draft.weekday}
            onChange={(value) => onChange({ weekday: value })}
            options={[1, 2, 3, 4, 5, 6, 0].map((day) => [String(day), weekday.format(SUNDAY + day * DAY_MS)] as const)}
          />
        ) : null}
        {rhythm === 'month' ? <TextField {...field('day')} inputMode="numeric" label={t('schedules.day')} /> : null}
        {isTimed ? <TextField {...field('time')} type="time" label={t('schedules.time')} /> : null}
        {rhythm === 'cron' ? (
          <TextField
            {...field('cron')}
            label={t('schedules.cron')}
            description={t('schedules.cronHint')}
            placeholder="0 18 * * 5"
            maxLength={MAX_CRON}
          />
        ) : null}
        {rhythm === 'restart' ? (
          <TextField {...field('minutes')} inputMode="numeric" label={t('schedules.minutes')} />
        ) : null}
      </div>
      {isTimed || rhythm === 'cron' ? (
        <SelectField
          label={t('schedules.zone')}
          value={draft.timeZone}
          onChange={(value) => onChange({ timeZone: value })}
          options={zonesWith(draft.timeZone).map((zone) => [zone, zone] as const)}
        />
      ) : null}
    </>
  );
};
