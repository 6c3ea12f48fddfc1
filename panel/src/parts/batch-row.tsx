import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Batch, countOf, movedOf, useBatchCommands } from '../batches.ts';
import { describeBatch, labelOf } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { BatchState } from './batch-state.tsx';
import { CommandRow } from './command-list.tsx';
import { Icon } from './icon.tsx';
import { ServerName } from './server-state.tsx';
import { Foreign } from './text.tsx';
import { Ago } from './time.tsx';

const FIRST = 10;

const FirstOnes = ({ id }: { id: string }) => {
  const { t } = useTexts();
  const { data } = useBatchCommands(id);
  const commands = data?.pages[0]?.data.slice(0, FIRST) ?? [];
  return (
    <ul className="inside" aria-label={t('batches.first')}>
      {commands.map((command) => (
        <li key={command.id}>
          <CommandRow command={command} />
        </li>
      ))}
      <li>
        <Link to="/batches/$id" params={{ id }} className="command">
          {t('batches.all')}
        </Link>
      </li>
    </ul>
  );
};

/** A batch as one row of the journal, which opens its first commands. */
export const BatchRow = ({ batch }: { batch: Batch }) => {
  const texts = useTexts();
  const { t, number } = texts;
  const [isOpen, setOpen] = useState(false);
  const { id, total, serverId, actor, createdAt } = batch;
  const label = labelOf(texts, batch);
  const what = describeBatch(texts, batch);
  const done = countOf(batch, 'succeeded', 'resolved_applied');
  return (
    <>
      <div className="command batch">
        <span className="when dim">
          <Ago iso={createdAt} isShort />
        </span>
        <span className="how">
          <BatchState batch={batch} />
        </span>
        <span className="what">
          <button
            type="button"
            className="fold-out"
            aria-expanded={isOpen}
            aria-label={t('batches.open', { label: label ?? what })}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'down' : 'right'} />
          </button>
          <Link to="/batches/$id" params={{ id }}>
            {label === null ? what : <Foreign>{label}</Foreign>}
          </Link>
        </span>
        <span className="target">{t('batches.done', { done: number(done), total: number(total) })}</span>
        <span className="delta">{movedOf(texts, batch)}</span>
        <span className="by dim">
          <Foreign>{actor.name}</Foreign>
        </span>
        <span className="on dim">
          <ServerName id={serverId} />
        </span>
      </div>
      {isOpen ? <FirstOnes id={id} /> : null}
    </>
  );
};
