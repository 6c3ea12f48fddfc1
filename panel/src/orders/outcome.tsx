import { Alert, Button, Loader } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Command } from '../api.ts';
import { describeDone } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { explain } from '../parts/state.tsx';
import { TakeBack } from '../parts/take-back.tsx';
import { Foreign } from '../parts/text.tsx';
import { Values } from '../parts/values.tsx';
import { useMay } from '../session.ts';
import type { Phase } from './order.ts';

const DOUBLE_CLICK_MS = 500;
const DAY_MS = 24 * 60 * 60_000;

type Told = { color: string; says: ReactNode; more?: ReactNode; isBusy?: boolean; id?: string | undefined };

const useTold = (phase: Exclude<Phase, { is: 'asking' }>, name: string): Told => {
  const texts = useTexts();
  const { t, rich, time, number } = texts;
  switch (phase.is) {
    case 'sending':
      return { color: 'blue', says: t('dialog.sending'), isBusy: true };
    case 'lost':
      return { color: 'yellow', says: t('dialog.lost'), isBusy: true };
    case 'doubt':
      return { color: 'yellow', says: t('dialog.doubt'), isBusy: true, id: phase.id };
    case 'gaveUp':
      return { color: 'yellow', says: t('dialog.gaveUp') };
    case 'unknown':
      return { color: 'red', says: t('dialog.unknown'), id: phase.id };
    case 'refused':
      return {
        color: 'red',
        says: t('dialog.refused'),
        more: explain(texts, phase.error),
        id: phase.error.problem.command?.id,
      };
    case 'waiting': {
      const { id, status, createdAt, expiresAt } = phase.command;
      if (status === 'voided') return { color: 'gray', says: t('dialog.takenBack'), id };
      const days = number(Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / DAY_MS));
      return { color: 'blue', says: rich('dialog.waits', { name: <Foreign key="name">{name}</Foreign>, days }), id };
    }
    case 'before': {
      const { id, command } = phase;
      if (command?.executed !== 'yes') return { color: 'yellow', says: t('dialog.undone'), id };
      const who = <Foreign key="name">{command.actor.name}</Foreign>;
      return { color: 'yellow', says: rich('dialog.before', { name: who, time: time(command.createdAt) }), id };
    }
    case 'repeated':
      return { color: 'yellow', says: t('dialog.again.before'), id: phase.id };
    case 'done': {
      const { command } = phase;
      const { id } = command;
      const says = describeDone(texts, command, name);
      if (says !== undefined) return { color: 'green', says, id };
      const who = <Foreign key="name">{name}</Foreign>;
      const more = <Values of={command.result ?? {}} />;
      return { color: 'green', says: rich('dialog.done.custom', { name: who }), more, id };
    }
  }
};

/** The truth about an order, as far as it is known. */
export const OrderOutcome = ({
  phase: reached,
  name,
  onClose,
  onChange,
  onAsk,
}: {
  phase: Exclude<Phase, { is: 'asking' }>;
  name: string;
  onClose: () => void;
  onChange: () => void;
  onAsk: () => void;
}) => {
  const { t } = useTexts();
  const may = useMay();
  const [taken, setTaken] = useState<Command>();
  const phase: typeof reached = taken === undefined ? reached : { is: 'waiting', command: taken };
  const { color, says, more, isBusy, id } = useTold(phase, name);
  const place = useRef<HTMLDivElement>(null);
  // The second half of a double click is meant for the button that was here before.
  const [isFresh, setFresh] = useState(true);
  useEffect(() => {
    place.current?.focus();
    const timer = setTimeout(() => setFresh(false), DOUBLE_CLICK_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="stack" ref={place} tabIndex={-1}>
      <Alert color={color} role={color === 'red' ? 'alert' : 'status'} data-phase={phase.is}>
        <p className="row">
          {isBusy === true ? <Loader size="xs" aria-hidden="true" /> : null}
          <strong>{says}</strong>
        </p>
        {more === undefined ? null : <div>{more}</div>}
      </Alert>
      {id !== undefined && may('commands:read') ? (
        <Link to="/journal/$id" params={{ id }}>
          {t('dialog.journal')}
        </Link>
      ) : null}
      <div className="row end">
        {phase.is === 'waiting' && taken === undefined && may('commands:resolve') ? (
          <TakeBack id={phase.command.id} disabled={isFresh} onTaken={setTaken} />
        ) : null}
        {phase.is === 'refused' ? (
          <Button variant="default" disabled={isFresh} onClick={onChange}>
            {t('dialog.again')}
          </Button>
        ) : null}
        {phase.is === 'gaveUp' ? (
          <Button disabled={isFresh} onClick={onAsk}>
            {t('dialog.ask')}
          </Button>
        ) : null}
        <Button
          variant={phase.is === 'done' || phase.is === 'waiting' ? 'filled' : 'default'}
          disabled={isFresh}
          onClick={onClose}
        >
          {t('common.close')}
        </Button>
      </div>
    </div>
  );
};
