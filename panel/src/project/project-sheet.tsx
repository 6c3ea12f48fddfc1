import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { hub, type Schemas } from '../api.ts';
import { LANGUAGES, useTexts } from '../i18n.ts';
import { NumberField } from '../parts/common-fields.tsx';
import { CheckField, SelectField, TextField } from '../parts/controls.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { type BoundName, projectChangeOf, projectDraftOf, REASONED } from './draft.ts';

/** Changes what the project calls itself and asks of its staff. */
export const ProjectSheet = ({ project, onClose }: { project: Schemas['Project']; onClose: () => void }) => {
  const { t, number, locale } = useTexts();
  const client = useQueryClient();
  const [before] = useState(() => projectDraftOf(project));
  const [draft, setDraft] = useState(before);
  const change = (some: Partial<typeof draft>): void => setDraft((old) => ({ ...old, ...some }));
  const body = projectChangeOf(before, draft, project, locale);
  const save = useMutation({
    mutationFn: (changed: Schemas['ProjectChange']) => hub.request('patch', '/api/v2/project', { body: changed }),
    onSuccess: (changed) => {
      client.setQueryData(['project'], changed);
      // The name beside the mark, and the largest amount of the dialogs.
      void client.invalidateQueries({ queryKey: ['session'] });
      onClose();
    },
  });
  const ceilingOf = (name: BoundName): number | null => (name === 'confirmAbove' ? null : project.ceilings[name]);
  const amount = (name: BoundName) => {
    const ceiling = ceilingOf(name);
    const bound = ceiling === null ? t('project.noCeiling') : t('project.ceiling', { max: number(ceiling) });
    return (
      <NumberField
        label={t(`project.${name}`)}
        description={name === 'confirmAbove' ? t('project.confirmAboveSays') : bound}
        value={draft[name]}
        max={ceiling ?? Number.MAX_SAFE_INTEGER}
        isOptional={name !== 'confirmAbove'}
        large={ceiling === null ? t('keys.large', { max: number(Number.MAX_SAFE_INTEGER) }) : bound}
        onChange={(text) => change({ [name]: text })}
      />
    );
  };
  return (
    <Sheet
      title={t('project.change')}
      submit={t('common.save')}
      isDirty={draft !== before && !save.isSuccess}
      isReady={body !== undefined && Object.keys(body).length > 0}
      isPending={save.isPending}
      error={save.error}
      onSubmit={() => body !== undefined && save.mutate(body)}
      onClose={onClose}
    >
      <TextField
        label={t('setup.community')}
        value={draft.name}
        maxLength={128}
        data-autofocus
        error={draft.name.trim() === '' ? t('custom.field.missing') : undefined}
        onChange={(text) => change({ name: text })}
      />
      <SelectField
        label={t('project.language')}
        value={draft.language}
        onChange={(value) => change({ language: value })}
        options={[['', t('project.language.own')], ...Object.entries(LANGUAGES)]}
      />
      {amount('confirmAbove')}
      {amount('maxAmount')}
      {amount('maxBatchTotal')}
      <fieldset>
        <legend>{t('project.reasonFor')}</legend>
        <div className="checks">
          {REASONED.map((name) => (
            <CheckField
              key={name}
              label={t(`command.${name}`)}
              checked={draft.reasonFor.includes(name)}
              onChange={() =>
                change({
                  reasonFor: REASONED.filter((each) => draft.reasonFor.includes(each) !== (each === name)),
                })
              }
            />
          ))}
        </div>
      </fieldset>
    </Sheet>
  );
};
