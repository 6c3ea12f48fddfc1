import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { type Texts, useTexts } from '../i18n.ts';
import type { Order, Phase } from '../orders/order.ts';
import { carryOutOnce, sameOf } from '../orders/use-order.ts';
import { MessageField, ReasonField } from '../parts/common-fields.tsx';
import { Button } from '../parts/controls.tsx';
import { DialogForm, FormDialog } from '../parts/form-dialog.tsx';
import { explain } from '../parts/state.tsx';
import { Foreign, isolated } from '../parts/text.tsx';
import { SentBefore } from '../parts/unanswered.tsx';
import { useProject, useServerNames } from '../queries.ts';
import { useMay } from '../session.ts';
import { byServer } from '../tasks/chosen.ts';
import { keyOf } from './query.ts';
import type { ChosenPlayer } from './selection.ts';

/** Commands for one player each that are sent to many. */
export type ManyKind = 'kick' | 'message';

const AT_ONCE = 4;
const MAX_NAMED = 50;

/** One command of several: for one player, or for all chosen players of a server. */
type Unit = { key: string; label: string; orderOf: (text: string) => Order };

const unitOf = (kind: ManyKind, player: ChosenPlayer): Unit => {
  const { serverId, identifier: target, name } = player;
  const orderOf = (text: string): Order =>
    kind === 'kick'
      ? { serverId, name: 'kick', body: { target, reason: text } }
      : { serverId, name: 'message', body: { target, message: text } };
  return { key: keyOf(player), label: name ?? target, orderOf };
};

/** A text goes out once for each server that can announce to chosen players; all else is one command for each player. */
const unitsOf = (
  kind: ManyKind,
  players: readonly ChosenPlayer[],
  isAnnounced: boolean,
  serverNames: ReadonlyMap<string, string>,
): Unit[] => {
  if (kind !== 'message' || !isAnnounced) return players.map((player) => unitOf(kind, player));
  return [...byServer({ players })].map(([serverId, targets]) => ({
    key: serverId,
    label: serverNames.get(serverId) ?? serverId,
    orderOf: (message) => ({ serverId, name: 'announce', body: { message, targets } }),
  }));
};

/** The outcome for one player, in words. */
const told = (texts: Texts, phase: Phase | undefined): string => {
  const { t } = texts;
  switch (phase?.is) {
    case undefined:
      return t('players.many.next');
    case 'done':
      return phase.command.name === 'announce'
        ? texts.count('dialog.done.shown', Number(phase.command.result?.['players'] ?? 0))
        : t('status.succeeded');
    case 'refused':
      return explain(texts, phase.error);
    case 'unknown':
    case 'gaveUp':
      return t('players.many.unknown');
    default:
      return t('players.many.sent');
  }
};

/** Sends the commands, a few at once. Nothing is sent twice; `stop` leaves out those that are left. */
const useMany = (units: readonly Unit[]) => {
  const client = useQueryClient();
  const texts = useTexts();
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
    const left = [...units];
    const work = async (): Promise<void> => {
      for (let unit = left.shift(); unit !== undefined && !isStopped.current; unit = left.shift()) {
        const { key, label: name, orderOf } = unit;
        const report = (phase: Phase): void => setPhases((old) => new Map(old).set(key, phase));
        await carryOutOnce({ texts, name }, orderOf(text), { report, isWanted: () => isOpen.current });
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

/** The progress, and what happened to each command. */
const Progress = ({
  units,
  phases,
  isOver,
}: {
  units: readonly Unit[];
  phases: ReadonlyMap<string, Phase>;
  isOver: boolean;
}) => {
  const texts = useTexts();
  const { t, number } = texts;
  const may = useMay();
  const ended = [...phases.values()].filter(({ is }) => ENDS.has(is)).length;
  const done = [...phases.values()].filter(({ is }) => is === 'done').length;
  const says = t('players.many.progress', {
    ...{ ended: number(ended), total: number(units.length), done: number(done) },
  });
  return (
    <>
      <p role="status">{says}</p>
      <progress value={ended} max={units.length} aria-label={says} />
      <ul className="plain outcomes">
        {units.map(({ key, label }) => {
          const phase = phases.get(key);
          const id = idOf(phase);
          return (
            <li key={key} data-phase={phase?.is ?? 'next'}>
              <Foreign>{label}</Foreign>
              <span className={phase?.is === 'done' ? 'dim' : ''}>
                {/* Another page would end the dialog, and what is left would not be sent. */}
                {isOver && id !== undefined && may('commands:read') ? (
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

/** Kicks players, or shows them a text, and tells what happened to each command. */
const ManyDialog = ({
  kind,
  players: chosen,
  isAnnounced,
  onClose,
}: {
  kind: ManyKind;
  players: readonly ChosenPlayer[];
  /** All their servers can announce a text to chosen players. */
  isAnnounced: boolean;
  onClose: () => void;
}) => {
  const { t, count } = useTexts();
  const [typed, setTyped] = useState('');
  const [isTouched, setTouched] = useState(false);
  const serverNames = useServerNames();
  // The players of this dialog, also if the selection changes below it.
  const [players] = useState(chosen);
  const [units] = useState(() => unitsOf(kind, players, isAnnounced, serverNames));
  const { is, phases, run, stop } = useMany(units);
  const text = typed.trim();
  const { data: project } = useProject();
  const isNeeded = kind === 'message' || project?.reasonFor.includes('kick') === true;
  const field = { value: typed, isTouched: isTouched && isNeeded, 'data-autofocus': true, onChange: setTyped };
  const submit = (): void => {
    setTouched(true);
    if (text !== '' || !isNeeded) void run(text);
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
        <DialogForm submit={count(what, players.length)} onSubmit={submit} onClose={onClose}>
          {kind === 'kick' ? (
            <ReasonField {...field} label={t(isNeeded ? 'common.reason' : 'dialog.reason.optional')} />
          ) : (
            <MessageField {...field} />
          )}
          <p className="sentence">
            {t(units.length < players.length ? 'players.many.saysServers' : 'players.many.says', {
              names:
                players
                  .slice(0, MAX_NAMED)
                  .map(({ name, identifier }) => isolated(name ?? identifier))
                  .join(', ') + (players.length > MAX_NAMED ? ' …' : ''),
              servers: servers.map((id) => isolated(serverNames.get(id) ?? id)).join(', '),
            })}
          </p>
          <SentBefore requests={units.map(({ orderOf }) => sameOf(orderOf(text)))} />
        </DialogForm>
      ) : (
        <div className="stack">
          <Progress units={units} phases={phases} isOver={is === 'over'} />
          <div className="row end">
            {is === 'sending' ? (
              <Button onClick={stop}>{t('players.many.stop')}</Button>
            ) : (
              <Button isMain onClick={onClose}>
                {t('common.close')}
              </Button>
            )}
          </div>
        </div>
      )}
    </FormDialog>
  );
};
export default ManyDialog;
