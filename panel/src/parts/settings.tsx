import { Checkbox, NativeSelect, useMantineColorScheme } from '@mantine/core';
import { createContext, useContext, useEffect } from 'react';
import { useCompact, useKeysOff } from '../display.ts';
import { hasChosenLanguage, isLanguage, LANGUAGES, type Language, useTexts } from '../i18n.ts';
import { useProject } from '../queries.ts';

/** Sets the language of the panel; without `isKept`, only until the page is loaded again. */
export const LanguageContext = createContext<(language: Language, isKept: boolean) => void>(() => undefined);

/** Follows the language of the project, for people who chose none. */
export const ProjectLanguage = () => {
  const { language } = useTexts();
  const setLanguage = useContext(LanguageContext);
  const wanted = useProject().data?.language ?? language;
  useEffect(() => {
    if (wanted !== language && isLanguage(wanted) && !hasChosenLanguage()) setLanguage(wanted, false);
  }, [wanted, language, setLanguage]);
  return null;
};

const SCHEMES = ['auto', 'light', 'dark'] as const;

/** Colours, language, height of rows and keys, kept in this browser. */
export const Settings = () => {
  const { t, language } = useTexts();
  const setLanguage = useContext(LanguageContext);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [isCompact, setCompact] = useCompact();
  const [isOff, setOff] = useKeysOff();
  return (
    <>
      <NativeSelect
        label={t('menu.language')}
        value={language}
        onChange={(event) => setLanguage(event.currentTarget.value as Language, true)}
        data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
      />
      <NativeSelect
        label={t('menu.theme')}
        value={colorScheme}
        onChange={(event) => setColorScheme(event.currentTarget.value as (typeof SCHEMES)[number])}
        data={SCHEMES.map((value) => ({ value, label: t(`menu.theme.${value}`) }))}
      />
      <Checkbox
        label={t('menu.compact')}
        checked={isCompact}
        onChange={(event) => setCompact(event.currentTarget.checked)}
      />
      <Checkbox label={t('menu.keysOff')} checked={isOff} onChange={(event) => setOff(event.currentTarget.checked)} />
    </>
  );
};
