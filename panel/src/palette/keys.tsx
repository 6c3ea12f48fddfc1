import type { ReactNode } from 'react';
import { useTexts } from '../i18n.ts';
import { Dialog } from '../parts/dialog.tsx';
import { LETTERS, usePlaces } from '../places.ts';

const Keys = ({ keys, children }: { keys: readonly string[]; children: ReactNode }) => (
  <>
    <dt>
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </dt>
    <dd>{children}</dd>
  </>
);

/** The keys of the panel, and how those that are pressed alone are switched off. */
const KeyList = ({ onClose }: { onClose: () => void }) => {
  const { t } = useTexts();
  const places = usePlaces();
  const ctrl = t('keyList.ctrl');
  return (
    <Dialog title={t('keyList.title')} onClose={onClose}>
      <div className="stack">
        <dl className="key-list">
          <Keys keys={[ctrl, 'K']}>{t('palette.title')}</Keys>
          <Keys keys={['/']}>{t('keyList.filter')}</Keys>
          <Keys keys={['↑', '↓']}>{t('keyList.move')}</Keys>
          <Keys keys={[t('keyList.space')]}>{t('keyList.select')}</Keys>
          <Keys keys={[t('keyList.shift'), '↓']}>{t('keyList.extend')}</Keys>
          <Keys keys={['Enter']}>{t('keyList.open')}</Keys>
          <Keys keys={[ctrl, 'Enter']}>{t('keyList.send')}</Keys>
          <Keys keys={['Esc']}>{t('common.close')}</Keys>
          {places.map(({ name }) => (
            <Keys key={name} keys={['g', LETTERS[name]]}>
              {t(`nav.${name}`)}
            </Keys>
          ))}
          <Keys keys={['?']}>{t('keyList.title')}</Keys>
        </dl>
        <p className="dim">{t('keyList.off', { setting: t('menu.keysOff') })}</p>
      </div>
    </Dialog>
  );
};
export default KeyList;
