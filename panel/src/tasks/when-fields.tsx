import { NativeSelect, TextInput } from '@mantine/core';
import type { ComponentProps } from 'react';
import { useTexts } from '../i18n.ts';
import { RHYTHMS, type Rhythm, readWhen, type WhenDraft } from './when.ts';

const MAX_CRON = 128;
/** A Sunday. */
const SUNDAY = Date.UTC(2026, 0, 4);
const DAY_MS = 24 * 60 * 60_000;

const zonesWith = (own: string): string[] => [...new Set([own, 'UTC', ...Intl.supportedValuesOf('timeZone')])];

/** When a schedule runs. */
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
  const field = (name: Name): ComponentProps<typeof TextInput> => ({
    value: draft[name],
    error,
    onChange: (event) => onChange({ [name]: event.currentTarget.value }),
  });
  return (
    <>
      <div className="row top">
        <NativeSelect
          label={t('schedules.when')}
          value={rhythm}
          onChange={(event) => onChange({ rhythm: event.currentTarget.value as Rhythm })}
          data={RHYTHMS.map((each) => ({ value: each, label: t(`rhythm.${each}`) }))}
        />
        {rhythm === 'once' ? <TextInput {...field('at')} type="datetime-local" label={t('schedules.at')} /> : null}
        {rhythm === 'week' ? (
          <NativeSelect
            label={t('schedules.weekday')}
            value={draft.weekday}
            onChange={(event) => onChange({ weekday: event.currentTarget.value })}
            data={[1, 2, 3, 4, 5, 6, 0].map((day) => ({
              value: String(day),
              label: weekday.format(SUNDAY + day * DAY_MS),
            }))}
          />
        ) : null}
        {rhythm === 'month' ? <TextInput {...field('day')} inputMode="numeric" label={t('schedules.day')} /> : null}
        {isTimed ? <TextInput {...field('time')} type="time" label={t('schedules.time')} /> : null}
        {rhythm === 'cron' ? (
          <TextInput
            {...field('cron')}
            label={t('schedules.cron')}
            description={t('schedules.cronHint')}
            placeholder="0 18 * * 5"
            maxLength={MAX_CRON}
          />
        ) : null}
        {rhythm === 'restart' ? (
          <TextInput {...field('minutes')} inputMode="numeric" label={t('schedules.minutes')} />
        ) : null}
      </div>
      {isTimed || rhythm === 'cron' ? (
        <NativeSelect
          label={t('schedules.zone')}
          value={draft.timeZone}
          onChange={(event) => onChange({ timeZone: event.currentTarget.value })}
          data={zonesWith(draft.timeZone)}
        />
      ) : null}
    </>
  );
};
