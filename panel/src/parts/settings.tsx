import { Checkbox, NativeSelect, useMantineColorScheme } from '@mantine/core';
import { createContext, useContext } from 'react';
import { useCompact, useKeysOff } from '../display.ts';
import { LANGUAGES, type Language, useTexts } from '../i18n.ts';

/** Sets the language of the panel. */
export const LanguageContext = createContext<(language: Language) => void>(() => undefined);

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
        onChange={(event) => setLanguage(event.currentTarget.value as Language)}
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
