import { useState } from 'react';
import { copyText } from '../clipboard.ts';
import { useTexts } from '../i18n.ts';
import { Button } from './controls.tsx';
import { Icon } from './icon.tsx';
import { isolated, plain } from './text.tsx';

const SHOWN_MS = 1_500;

/** Copies a text, and tells for a moment that it is copied. */
export const useCopied = (text: string): [isCopied: boolean, copy: () => void] => {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await copyText(text);
    setCopied(true);
    window.setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return [isCopied, () => void copy()];
};

/** A text, or a short form of it; a click copies the whole text. */
export const CopyShort = ({ text, short = text, tabIndex }: { text: string; short?: string; tabIndex?: number }) => {
  const { t } = useTexts();
  const [isCopied, copy] = useCopied(text);
  return (
    <button
      type="button"
      className="copied"
      title={plain(text)}
      aria-label={t('player.copy', { text: isolated(text.slice(0, 80)) })}
      onClick={copy}
      {...(tabIndex !== undefined && { tabIndex })}
    >
      <code>{isCopied ? t('common.copied') : <bdi>{plain(short)}</bdi>}</code>
      <Icon name="copy" />
    </button>
  );
};

/** Copies a text unchanged, and confirms it. */
export const Copy = ({ text, label, isSmall = true }: { text: string; label?: string; isSmall?: boolean }) => {
  const { t } = useTexts();
  const [isCopied, copy] = useCopied(text);
  return (
    <Button
      isSmall={isSmall}
      aria-label={label ?? t('player.copy', { text: isolated(text.slice(0, 80)) })}
      onClick={copy}
    >
      <span aria-live="polite">{t(isCopied ? 'common.copied' : 'common.copy')}</span>
    </Button>
  );
};
