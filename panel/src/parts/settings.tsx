import { NativeSelect, useMantineColorScheme } from '@mantine/core';
import { createContext, useContext } from 'react';
import { LANGUAGES, type Language, useTexts } from '../i18n.ts';

/** Sets the language of the panel. */
export const LanguageContext = createContext<(language: Language) => void>(() => undefined);

const SCHEMES = ['auto', 'light', 'dark'] as const;

/** Colours and language, kept in this browser. */
export const Settings = () => {
  const { t, language } = useTexts();
  const setLanguage = useContext(LanguageContext);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <div className="row">
      <NativeSelect
        size="xs"
        label={t('menu.language')}
        value={language}
        onChange={(event) => setLanguage(event.currentTarget.value as Language)}
        data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
      />
      <NativeSelect
        size="xs"
        label={t('menu.theme')}
        value={colorScheme}
        onChange={(event) => setColorScheme(event.currentTarget.value as (typeof SCHEMES)[number])}
        data={SCHEMES.map((value) => ({ value, label: t(`menu.theme.${value}`) }))}
      />
    </div>
  );
};
