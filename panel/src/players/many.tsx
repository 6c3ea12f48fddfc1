import { Button, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { type Texts, useTexts } from '../i18n.ts';
import { carryOut, newOrderKey, type Order, type Phase } from '../orders/order.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { explain } from '../parts/state.tsx';
import { Foreign, isolated } from '../parts/text.tsx';
import { useMay } from '../session.ts';
import { keyOf } from './query.ts';
import type { ChosenPlayer } from './selection.ts';

/** Commands for one player each that are sent to many. */
export type ManyKind = 'kick' | 'message';

const AT_ONCE = 4;
const MAX_TEXT = { kick: 512, message: 1024 };

const orderOf = (kind: ManyKind, { serverId, identifier: target }: ChosenPlayer, text: string): Order =>
  kind === 'kick'
    ? { serverId, name: 'kick', body: { target, reason: text } }
    : { serverId, name: 'message', body: { target, message: text } };

/** What happened to one player, in words. */
const told = (texts: Texts, phase: Phase | undefined): string => {
  const { t } = texts;
  switch (phase?.is) {
    case undefined:
      return t('players.many.next');
    case 'done':
      return t('status.succeeded');
    case 'refused':
      return explain(texts, phase.error);
    case 'unknown':
    case 'gaveUp':
      return t('players.many.unknown');
    default:
      return t('players.many.sent');
  }
};

/** Sends the command to each player, a few at once. Nothing is sent twice; `stop` leaves out those that are left. */
const useMany = (kind: ManyKind, players: readonly ChosenPlayer[]) => {
  const client = useQueryClient();
  const [phases, setPhases] = useState<ReadonlyMap<string, Phase>>(new Map());
  const [is, setIs] = useState<'asking' | 'sending' | 'over'>('asking');
  const isStopped = useRef(false);
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const run = async (text: string): Promise<void> => {
    setIs('sending');
    const left = [...players];
    const work = async (): Promise<void> => {
      for (let player = left.shift(); player !== undefined && !isStopped.current; player = left.shift()) {
        const key = keyOf(player);
        const report = (phase: Phase): void => setPhases((old) => new Map(old).set(key, phase));
        await carryOut(orderOf(kind, player, text), newOrderKey(), { report, isWanted: () => isOpen.current });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    setIs('over');
    for (const queryKey of [['players'], ['player'], ['commands']]) void client.invalidateQueries({ queryKey });
  };
  const stop = (): void => {
    isStopped.current = true;
  };
  return { is, phases, run, stop };
};

const ENDS: ReadonlySet<Phase['is']> = new Set(['done', 'refused', 'unknown', 'gaveUp']);
const idOf = (phase: Phase | undefined): string | undefined => {
  if (phase?.is === 'done') return phase.command.id;
  if (phase?.is === 'refused') return phase.error.problem.command?.id;
  return phase?.is === 'unknown' || phase?.is === 'doubt' ? phase.id : undefined;
};

/** The progress, and what happened to each player. */
const Progress = ({ players, phases }: { players: readonly ChosenPlayer[]; phases: ReadonlyMap<string, Phase> }) => {
  const texts = useTexts();
  const { t, number } = texts;
  const may = useMay();
  const ended = [...phases.values()].filter(({ is }) => ENDS.has(is)).length;
  const done = [...phases.values()].filter(({ is }) => is === 'done').length;
  const says = t('players.many.progress', {
    ...{ ended: number(ended), total: number(players.length), done: number(done) },
  });
  return (
    <>
      <p role="status">{says}</p>
      <progress value={ended} max={players.length} aria-label={says} />
      <ul className="plain outcomes">
        {players.map((player) => {
          const phase = phases.get(keyOf(player));
          const id = idOf(phase);
          return (
            <li key={keyOf(player)} data-phase={phase?.is ?? 'next'}>
              <Foreign>{player.name ?? player.identifier}</Foreign>
              <span className={phase?.is === 'done' ? 'dim' : ''}>
                {id !== undefined && may('commands:read') ? (
                  <Link to="/journal/$id" params={{ id }}>
                    {told(texts, phase)}
                  </Link>
                ) : (
                  told(texts, phase)
                )}
              </span>
            </li>
          );
        })}
      </ul>
    </>
  );
};

/** Kicks players, or shows them a text, one command for each, and tells what happened to each. */
const ManyDialog = ({
  kind,
  players,
  onClose,
}: {
  kind: ManyKind;
  players: readonly ChosenPlayer[];
  onClose: () => void;
}) => {
  const { t, count } = useTexts();
  const [typed, setTyped] = useState('');
  const [isTouched, setTouched] = useState(false);
  const { is, phases, run, stop } = useMany(kind, players);
  const text = typed.trim();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTouched(true);
    if (text !== '' && is === 'asking') void run(text);
  };
  const servers = [...new Set(players.map(({ serverId }) => serverId))];
  const what = kind === 'kick' ? ('players.many.kick' as const) : ('players.many.message' as const);
  return (
    <FormDialog
      title={count(what, players.length)}
      isHeld={is === 'sending'}
      isDirty={is === 'asking' && typed !== ''}
      onClose={onClose}
    >
      {is === 'asking' ? (
        <form onSubmit={submit} className="stack" noValidate>
          <Textarea
            label={t(kind === 'kick' ? 'common.reason' : 'dialog.message.field')}
            value={typed}
            maxLength={MAX_TEXT[kind]}
            rows={2}
            data-autofocus
            error={
              isTouched && text === ''
                ? t(kind === 'kick' ? 'dialog.reason.missing' : 'dialog.message.missing')
                : undefined
            }
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <p className="sentence">
            {t('players.many.says', {
              names: players.map(({ name, identifier }) => isolated(name ?? identifier)).join(', '),
              servers: servers.join(', '),
            })}
          </p>
          <div className="row end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit">{count(what, players.length)}</Button>
          </div>
        </form>
      ) : (
        <div className="stack">
          <Progress players={players} phases={phases} />
          <div className="row end">
            {is === 'sending' ? (
              <Button variant="default" onClick={stop}>
                {t('players.many.stop')}
              </Button>
            ) : (
              <Button onClick={onClose}>{t('common.close')}</Button>
            )}
          </div>
        </div>
      )}
    </FormDialog>
  );
};
export default ManyDialog;
