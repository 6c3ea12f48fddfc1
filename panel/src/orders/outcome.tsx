import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type Command, hub } from '../api.ts';
import { describeDone } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { Button, Note, type NoteInk } from '../parts/controls.tsx';
import { explain, Failed } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { Values } from '../parts/values.tsx';
import { useMay } from '../session.ts';
import type { Phase } from './order.ts';

/** Takes a command back that has not left. */
export const TakeBack = ({
  id,
  disabled = false,
  onTaken,
}: {
  id: string;
  disabled?: boolean;
  onTaken?: (command: Command) => void;
}) => {
  const client = useQueryClient();
  const { t } = useTexts();
  const takeBack = useMutation({
    mutationFn: () => hub.request('post', '/api/v2/commands/{id}/void', { path: { id } }),
    ...(onTaken !== undefined && { onSuccess: onTaken }),
    onSettled: () =>
      Promise.all([['command', id], ['commands']].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  return (
    <>
      {takeBack.error === null ? null : <Failed error={takeBack.error} lost="once" />}
      <Button disabled={disabled} isBusy={takeBack.isPending} onClick={() => takeBack.mutate()}>
        {t('detail.void')}
      </Button>
    </>
  );
};

const DOUBLE_CLICK_MS = 500;
const DAY_MS = 24 * 60 * 60_000;

type Told = {
  ink: NoteInk;
  says: ReactNode;
  more?: ReactNode;
  isBusy?: boolean;
  id?: string | undefined;
};

const useTold = (phase: Exclude<Phase, { is: 'asking' }>, name: string): Told => {
  const { t, rich, time, number, texts } = useTexts();
  switch (phase.is) {
    case 'sending':
      return { ink: 'info', says: t('dialog.sending'), isBusy: true };
    case 'lost':
      return { ink: 'wait', says: t('dialog.lost'), isBusy: true };
    case 'doubt':
      return { ink: 'wait', says: t('dialog.doubt'), isBusy: true, id: phase.id };
    case 'gaveUp':
      return { ink: 'wait', says: t('dialog.gaveUp') };
    case 'unknown':
      return { ink: 'bad', says: t('dialog.unknown'), id: phase.id };
    case 'refused':
      return {
        ink: 'bad',
        says: t('dialog.refused'),
        more: explain(texts, phase.error),
        id: phase.error.problem.command?.id,
      };
    case 'waiting': {
      const { id, status, createdAt, expiresAt } = phase.command;
      if (status === 'voided') return { ink: 'dim', says: t('dialog.takenBack'), id };
      const days = number(Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / DAY_MS));
      return { ink: 'info', says: rich('dialog.waits', { name: <Foreign key="name">{name}</Foreign>, days }), id };
    }
    case 'before': {
      const { id, command } = phase;
      if (command?.executed !== 'yes') return { ink: 'wait', says: t('dialog.undone'), id };
      const who = <Foreign key="name">{command.actor.name}</Foreign>;
      return { ink: 'wait', says: rich('dialog.before', { name: who, time: time(command.createdAt) }), id };
    }
    case 'repeated':
      return { ink: 'wait', says: t('dialog.again.before'), id: phase.id };
    case 'done': {
      const { command } = phase;
      const { id } = command;
      const says = describeDone(texts, command, name);
      if (says !== undefined) return { ink: 'good', says, id };
      const who = <Foreign key="name">{name}</Foreign>;
      const more = <Values of={command.result ?? {}} />;
      return { ink: 'good', says: rich('dialog.done.custom', { name: who }), more, id };
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
  const { ink, says, more, isBusy, id } = useTold(phase, name);
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
      <Note ink={ink} role={ink === 'bad' ? 'alert' : 'status'} data-phase={phase.is}>
        <p className="row">
          {isBusy === true ? <span className="busy" aria-hidden="true" /> : null}
          <strong>{says}</strong>
        </p>
        {more === undefined ? null : <div>{more}</div>}
      </Note>
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
          <Button disabled={isFresh} onClick={onChange}>
            {t('dialog.again')}
          </Button>
        ) : null}
        {phase.is === 'gaveUp' ? (
          <Button isMain disabled={isFresh} onClick={onAsk}>
            {t('dialog.ask')}
          </Button>
        ) : null}
        <Button isMain={phase.is === 'done' || phase.is === 'waiting'} disabled={isFresh} onClick={onClose}>
          {t('common.close')}
        </Button>
      </div>
    </div>
  );
};
