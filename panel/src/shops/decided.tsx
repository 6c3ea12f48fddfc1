import { Link } from '@tanstack/react-router';
import type { OrderLine } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { More } from '../parts/command-list.tsx';
import { Button } from '../parts/controls.tsx';
import { Failed } from '../parts/state.tsx';
import { Foreign } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { shortId } from '../parts/who.tsx';
import { canUndo, productIn, reasonOf, stateIn, useDecide, useDecided, useProblem } from './decisions.ts';

const Line = ({ line, integrationId }: { line: OrderLine; integrationId: string }) => {
  const texts = useTexts();
  const { t, rich } = texts;
  const problemOf = useProblem();
  const undo = useDecide(integrationId);
  const { decision, target, commandId, reason } = line;
  const isDismissed = decision?.is === 'dismissed';
  const who = <Foreign key="name">{decision?.by.name ?? ''}</Foreign>;
  const what = productIn(line);
  const failed = (undo.data ?? []).filter((each) => each.line === undefined);
  return (
    <li className="row between">
      <span>
        <strong>
          <Foreign>{line.transaction}</Foreign>
        </strong>{' '}
        {line.package === '' ? null : <Foreign>{what}</Foreign>}{' '}
        <span className="small">
          {isDismissed
            ? rich('shops.dismissedBy', { name: who, note: <Foreign key="note">{decision.note ?? ''}</Foreign> })
            : rich('shops.givenBy', {
                name: who,
                target: (
                  <Link
                    key="target"
                    to="/players/$serverId/$identifier"
                    params={{ serverId: line.serverId, identifier: target ?? '' }}
                    title={target ?? ''}
                  >
                    <Foreign>{shortId(target ?? '')}</Foreign>
                  </Link>
                ),
              })}{' '}
          {isDismissed ? null : stateIn(texts, line)}{' '}
          {reason === null || isDismissed ? null : reasonOf(texts, reason, line.detail)}{' '}
          {commandId === null ? null : (
            <Link to="/journal/$id" params={{ id: commandId }}>
              {t('dialog.journal')}
            </Link>
          )}
        </span>
        {undo.error === null ? null : <Failed error={undo.error} lost="once" />}
        {failed.map((each) => (
          <span key={each.id} role="alert" className="foreign">
            {problemOf(each)}
          </span>
        ))}
      </span>
      <span className="row dim small">
        {decision === null ? null : <Ago iso={decision.at} />}
        {canUndo(line) ? (
          <Button
            isSmall
            isBusy={undo.isPending}
            aria-label={isDismissed ? t('shops.putBackNamed', { what }) : t('action.undoNamed', { what })}
            onClick={() => undo.mutate({ lines: [line], undo: true })}
          >
            {isDismissed ? t('shops.putBack') : t('action.undoShort')}
          </Button>
        ) : null}
      </span>
    </li>
  );
};

/** The decisions of the staff in the last 30 days, with the way back. */
export const DecidedList = ({ integrationId }: { integrationId: string }) => {
  const { t } = useTexts();
  const decided = useDecided(integrationId);
  const lines = decided.data?.pages.flatMap(({ data }) => data) ?? [];
  if (lines.length === 0) return null;
  return (
    <section className="stack" aria-label={t('shops.decided')}>
      <h2>{t('shops.decided')}</h2>
      <ul className="plain">
        {lines.map((line) => (
          <Line key={line.id} line={line} integrationId={integrationId} />
        ))}
      </ul>
      <More query={decided} />
    </section>
  );
};
