import { Button, type ButtonProps } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../i18n.ts';
import { isolated } from './text.tsx';

const SHOWN_MS = 1_500;

const copyText = async (text: string): Promise<void> => {
  // Only secure pages have a clipboard; a hub in a local network may not be one.
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
};

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
