import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { isUndoable } from '../commands/kinds.ts';
import { describeDone } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { openUndo, useWantedOrder } from '../open-order.ts';
import { useMay } from '../session.ts';
import { endToast, type Toast, useToasts } from '../toasts.ts';
import { Button } from './controls.tsx';
import { Icon } from './icon.tsx';
import { Foreign } from './text.tsx';

const SHOWN_MS = 10_000;

const Told = ({ toast: { id, command, player } }: { toast: Toast }) => {
  const { t, rich, texts } = useTexts();
  const may = useMay();
  const order = useWantedOrder();
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => endToast(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, isHeld]);
  return (
    <li
      data-phase="done"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <p>
        {describeDone(texts, command, player) ??
          rich('dialog.done.custom', { name: <Foreign key="name">{player}</Foreign> })}
      </p>
      <p className="row">
        {isUndoable(command) ? (
          <Button
            isSmall
            // It would take the place of a dialog whose outcome is not known yet.
            disabled={order !== undefined}
            onClick={() => {
              endToast(id);
              openUndo(command, true);
            }}
          >
            {t('action.undoShort')}
          </Button>
        ) : null}
        {may('commands:read') ? (
          <Link to="/journal/$id" params={{ id: command.id }}>
            {t('dialog.journal')}
          </Link>
        ) : null}
      </p>
      <button type="button" className="close" aria-label={t('common.close')} onClick={() => endToast(id)}>
        <Icon name="close" />
      </button>
    </li>
  );
};

/** The commands that were done in the last seconds. They take no focus, and stay while the pointer is over them. */
export const Toasts = () => {
  const { t } = useTexts();
  const toasts = useToasts();
  return (
    <div role="status" aria-label={t('toasts.label')}>
      <ul className="toasts">
        {toasts.map((toast) => (
          <Told key={toast.id} toast={toast} />
        ))}
      </ul>
    </div>
  );
};
