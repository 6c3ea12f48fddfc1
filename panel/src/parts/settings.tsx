import { createContext, useContext, useEffect } from 'react';
import { SCHEMES, useCompact, useKeysOff, useScheme } from '../display.ts';
import { hasChosenLanguage, isLanguage, LANGUAGES, type Language, useTexts } from '../i18n.ts';
import { useProject } from '../queries.ts';
import { CheckField, SelectField } from './controls.tsx';

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

/** Colours, language, height of rows and keys, kept in this browser. */
export const Settings = () => {
  const { t, language } = useTexts();
  const setLanguage = useContext(LanguageContext);
  const [scheme, setScheme] = useScheme();
  const [isCompact, setCompact] = useCompact();
  const [isOff, setOff] = useKeysOff();
  return (
    <>
      <SelectField
        label={t('menu.language')}
        value={language}
        onChange={(value) => setLanguage(value, true)}
        options={Object.entries(LANGUAGES) as [Language, string][]}
      />
      <SelectField
        label={t('menu.theme')}
        value={scheme}
        onChange={setScheme}
        options={SCHEMES.map((value) => [value, t(`menu.theme.${value}`)] as const)}
      />
      <CheckField label={t('menu.compact')} checked={isCompact} onChange={setCompact} />
      <CheckField label={t('menu.keysOff')} checked={isOff} onChange={setOff} />
    </>
  );
};
