import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { OrderLine } from '../api.ts';
import { describeBought } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { AreaField, Button, CheckField } from '../parts/controls.tsx';
import { DialogForm, FormDialog } from '../parts/form-dialog.tsx';
import { PlayerFilter } from '../parts/player-filter.tsx';
import { Empty, Failed, Loaded } from '../parts/state.tsx';
import { Foreign, isolated } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import {
  type Bundle,
  bundlesOf,
  buyerIn,
  canGive,
  explainLine,
  problemIn,
  productIn,
  useDecide,
  useStaffLines,
} from './decisions.ts';
import { Give } from './give.tsx';

const NOTE_LENGTH = 1_000;

/** Asks why lines are taken off the list. */
const Dismiss = ({
  integrationId,
  lines,
  onClose,
}: {
  integrationId: string;
  lines: readonly OrderLine[];
  onClose: () => void;
}) => {
  const { t, texts } = useTexts();
  const [note, setNote] = useState('');
  const dismiss = useDecide(integrationId);
  const failed = (dismiss.data ?? []).filter(({ line }) => line === undefined);
  const send = (): void =>
    dismiss.mutate(
      { lines, dismiss: true, note: note.trim() },
      { onSuccess: (told) => told.every(({ line }) => line !== undefined) && onClose() },
    );
  return (
    <FormDialog title={t('shops.dismiss')} isDirty={note.trim() !== '' && !dismiss.isSuccess} onClose={onClose}>
      <DialogForm
        submit={t('shops.dismiss')}
        isOff={note.trim() === '' || dismiss.isSuccess}
        isBusy={dismiss.isPending}
        onSubmit={send}
        onClose={onClose}
      >
        <ul className="plain small">
          {lines.map((line) => (
            <li key={line.id}>
              <Foreign>{line.package === '' ? line.transaction : productIn(line)}</Foreign>
            </li>
          ))}
        </ul>
        <p>{t('shops.dismissSays')}</p>
        <AreaField label={t('shops.note')} maxLength={NOTE_LENGTH} value={note} data-autofocus onChange={setNote} />
        {dismiss.error === null ? null : <Failed error={dismiss.error} lost="once" />}
        {failed.map((each) => (
          <p key={each.id} role="alert" className="foreign">
            {problemIn(texts, each)}
          </p>
        ))}
      </DialogForm>
    </FormDialog>
  );
};

const Line = ({
  line,
  isExplained,
  isChosen,
  onChoose,
}: {
  line: OrderLine;
  isExplained: boolean;
  /** Undefined: it is the only line of its order and buyer. */
  isChosen: boolean | undefined;
  onChoose: (isChosen: boolean) => void;
}) => {
  const { t, texts } = useTexts();
  return (
    <li className="row">
      {isChosen === undefined ? null : (
        <CheckField
          checked={isChosen}
          aria-label={t('shops.decideNamed', { what: isolated(productIn(line)) })}
          onChange={onChoose}
        />
      )}
      {line.package === '' ? null : (
        <strong title={line.package}>
          <Foreign>{productIn(line)}</Foreign>
        </strong>
      )}
      {line.name === null ? null : (
        <span className="dim foreign">{describeBought(texts, { name: line.name, params: line.params ?? {} })}</span>
      )}
      {isExplained ? <span>{explainLine(texts, line)}</span> : null}
      {line.commandId === null ? null : (
        <Link to="/journal/$id" params={{ id: line.commandId }}>
          {t('dialog.journal')}
        </Link>
      )}
    </li>
  );
};

/** The question to a person, with the lines as they were then. */
type Asking = { is: 'give'; lines: OrderLine[]; target: string } | { is: 'dismiss'; lines: OrderLine[] };

/** The lines of one order and one buyer. */
const Order = ({ bundle, onAsk }: { bundle: Bundle; onAsk: (asking: Asking) => void }) => {
  const { t, rich, texts } = useTexts();
  const { transaction, buyer, lines } = bundle;
  const [first] = lines;
  const [why = '', ...otherWhys] = new Set(lines.map((line) => explainLine(texts, line)));
  const isOneWhy = lines.length > 1 && otherWhys.length === 0;
  const [target, setTarget] = useState(first?.target ?? undefined);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const chosen = lines.filter(({ id }) => !left.has(id));
  const gifts = chosen.filter(canGive);
  const choose = (id: string, isChosen: boolean): void => {
    const next = new Set(left);
    if (isChosen) next.delete(id);
    else next.add(id);
    setLeft(next);
  };
  return (
    <li className="card stack">
      <div className="row between">
        <span>
          <Foreign isStrong>{transaction}</Foreign>{' '}
          {buyer === null ? null : (
            <span className="dim">{rich('shops.buyer', { name: <Foreign key="name">{buyerIn(buyer)}</Foreign> })}</span>
          )}
        </span>
        <span className="dim small">{first === undefined ? null : <Ago iso={first.createdAt} />}</span>
      </div>
      {isOneWhy ? <p>{why}</p> : null}
      <ul className="plain">
        {lines.map((line) => (
          <Line
            key={line.id}
            line={line}
            isExplained={!isOneWhy}
            isChosen={lines.length === 1 ? undefined : !left.has(line.id)}
            onChoose={(isChosen) => choose(line.id, isChosen)}
          />
        ))}
      </ul>
      <div className="filters">
        {lines.some(canGive) ? (
          <>
            <div className="grow buyer">
              <PlayerFilter target={target} name={undefined} serverId={first?.serverId} onChange={setTarget} />
            </div>
            <Button
              isMain
              disabled={target === undefined || gifts.length === 0}
              onClick={() => target !== undefined && onAsk({ is: 'give', lines: gifts, target })}
            >
              {t('shops.give')}
            </Button>
          </>
        ) : null}
        <Button disabled={chosen.length === 0} onClick={() => onAsk({ is: 'dismiss', lines: chosen })}>
          {t('shops.dismiss')}
        </Button>
      </div>
    </li>
  );
};

export const StaffList = ({ integrationId }: { integrationId: string }) => {
  const { t } = useTexts();
  const lines = useStaffLines(integrationId);
  // The list keeps the question: decided lines leave their order, and the dialog says what became of them.
  const [asking, setAsking] = useState<Asking>();
  const close = (): void => setAsking(undefined);
  return (
    <section className="card stack">
      <h2>{t('shops.staff')}</h2>
      <Loaded query={lines}>
        {(known) =>
          known.length === 0 ? (
            <Empty title={t('shops.staffEmpty')} />
          ) : (
            <ul className="plain">
              {bundlesOf(known).map((bundle) => (
                <Order key={bundle.key} bundle={bundle} onAsk={setAsking} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {asking?.is === 'give' ? (
        <Give integrationId={integrationId} lines={asking.lines} target={asking.target} onClose={close} />
      ) : null}
      {asking?.is === 'dismiss' ? <Dismiss integrationId={integrationId} lines={asking.lines} onClose={close} /> : null}
    </section>
  );
};
