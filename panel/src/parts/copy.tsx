import { Button, type ButtonProps } from '@mantine/core';
import { useState } from 'react';
import { copyText } from '../clipboard.ts';
import { useTexts } from '../i18n.ts';
import { isolated } from './text.tsx';

const SHOWN_MS = 1_500;

/** Copies a text unchanged, and confirms it. */
export const Copy = ({
  text,
  label,
  size = 'compact-xs',
}: {
  text: string;
  label?: string;
  size?: ButtonProps['size'];
}) => {
  const { t } = useTexts();
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await copyText(text);
    setCopied(true);
    window.setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <Button
      size={size}
      variant="default"
      aria-label={label ?? t('player.copy', { text: isolated(text.slice(0, 80)) })}
      onClick={() => void copy()}
    >
      <span aria-live="polite">{t(isCopied ? 'common.copied' : 'common.copy')}</span>
    </Button>
  );
};
