import type { Integration } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { Button, TextField } from '../parts/controls.tsx';
import { Copy } from '../parts/copy.tsx';

/** Characters of a secret, as the hub wants them. */
export const SHORTEST_SECRET = 16;
const LONGEST_SECRET = 256;
const MADE_UP_BYTES = 24;

const madeUp = (): string => {
  const bytes = [...crypto.getRandomValues(new Uint8Array(MADE_UP_BYTES))];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
};

/** A secret that the hub and a shop share. Tebex makes its own; for another shop, the panel can make one up. */
export const SecretField = ({
  label,
  kind,
  value,
  isTouched,
  error,
  onChange,
}: {
  label: string;
  kind: Integration['kind'];
  value: string;
  isTouched: boolean;
  error: string | undefined;
  onChange: (secret: string) => void;
}) => {
  const { t } = useTexts();
  const isShort = value.trim().length < SHORTEST_SECRET;
  return (
    <div className="stack">
      <TextField
        type="password"
        label={label}
        description={t(`shops.secretHint.${kind}`)}
        value={value}
        maxLength={LONGEST_SECRET}
        autoComplete="new-password"
        error={isTouched && isShort ? t('shops.secretShort') : error}
        onChange={onChange}
      />
      {kind === 'tebex' ? null : (
        <div className="row">
          <Button isSmall onClick={() => onChange(madeUp())}>
            {t('shops.secretMake')}
          </Button>
          {isShort ? null : <Copy text={value.trim()} label={t('shops.secretCopy')} />}
        </div>
      )}
    </div>
  );
};
