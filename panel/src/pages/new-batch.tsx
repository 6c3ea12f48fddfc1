import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { readAmount } from '../amount.ts';
import { hub, type Schemas } from '../api.ts';
import type { Batch } from '../batches.ts';
import { newDraft } from '../commands/kinds.ts';
import { describe } from '../commands.tsx';
import { useTexts } from '../i18n.ts';
import { ServerField, useServerField } from '../parts/common-fields.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Button, CheckField, TextField } from '../parts/controls.tsx';
import { sending } from '../parts/form-dialog.tsx';
import { Page } from '../parts/page.tsx';
import { ServerName } from '../parts/server-state.tsx';
import { Failed } from '../parts/state.tsx';
import { Foreign, isolated, plain, withoutMarks } from '../parts/text.tsx';
import { SentBefore } from '../parts/unanswered.tsx';
import { UnsentForm } from '../parts/unsent.tsx';
import { keyOf, readAllKeys } from '../players/query.ts';
import { useProject, useServerNames } from '../queries.ts';
import { playersInWords } from '../schedules/schedule.ts';
import { byServer, type ChosenTargets, takeOver, useHandedOver } from '../tasks/chosen.ts';
import { newTask, readTask } from '../tasks/task.ts';
import { TaskFields, useTaskKinds, useTaskRules } from '../tasks/task-fields.tsx';
import { newOrderKey, once } from '../unanswered.ts';

const MAX_LABEL = 128;
const MAX_NAMED = 10;

/** A request, and the hub's forecast for it. */
type Preview = { body: Schemas['BatchRequest']; says: Schemas['BatchDryRun'] };
type Targets = Schemas['BatchRequest']['targets'];

const send = (body: Schemas['BatchRequest'], key: string): Promise<Batch | Schemas['BatchDryRun']> =>
  hub.request('post', '/api/v2/batches', { headers: { 'idempotency-key': key }, body });

/** The parts of a batch that the hub compares under one key: label and `deliver` are not among them. */
const sameOf = ({ serverId, name, params, targets }: Schemas['BatchRequest']): object => ({
  batch: { serverId, name, params, targets },
});

/** `84 players · Add 500 to bank · 42,000 in all · Los Santos`. */
const useInWords = (): ((preview: Preview) => string) => {
  const texts = useTexts();
  const { t, count, number } = texts;
  const servers = useServerNames();
  return ({ body, says: { targets, unknown, money, duplicates } }) =>
    [
      count('players.count', targets),
      ...(Array.isArray(body.targets) ? [] : [playersInWords(texts, { task: body })]),
      withoutMarks(describe(texts, { ...body, result: null })),
      ...(money === undefined ? [] : [t('batches.money', { sum: number(money) })]),
      plain(servers.get(body.serverId) ?? body.serverId),
      ...(unknown.length === 0 ? [] : [t('batches.unknown', { count: number(unknown.length) })]),
      ...(duplicates === 0 ? [] : [count('batches.duplicates', duplicates)]),
    ].join(' · ');
};

/** The effect of a batch in words, with the number of unknown identifiers. */
const Says = ({ preview }: { preview: Preview }) => {
  const { t } = useTexts();
  const inWords = useInWords();
  const { unknown, targets } = preview.says;
  return (
    <>
      <strong data-preview>{inWords(preview)}</strong>
      {targets > 0 ? null : (
        <>
          <br />
          {t('task.nobody')}
        </>
      )}
      {unknown.length === 0 ? null : (
        <>
          <br />
          {t('batches.unknownAre')} <Foreign>{unknown.slice(0, MAX_NAMED).join(', ')}</Foreign>
          {unknown.length > MAX_NAMED ? ' …' : ''}
        </>
      )}
    </>
  );
};

/** The word of the button that sends: `Pay 7,301 players`. */
const useSubmit = (): ((previews: readonly Preview[]) => string) => {
  const { count } = useTexts();
  return (previews) => {
    const players = previews.reduce((sum, { says }) => sum + says.targets - says.unknown.length, 0);
    const { name, params } = previews[0]?.body ?? {};
    if (name !== 'money') return count('batches.send', players);
    return params?.['action'] === 'add' ? count('batches.pay', players) : count('batches.takeFrom', players);
  };
};

/** The previews of each server, because a batch is of one. */
const SaysAll = ({ previews }: { previews: readonly Preview[] }) => {
  const { t } = useTexts();
  if (previews.length === 1) return previews.map((preview) => <Says key={preview.body.serverId} preview={preview} />);
  return (
    <>
      {t('batches.eachServer')}
      <ul className="plain">
        {previews.map((preview) => (
          <li key={preview.body.serverId}>
            <Says preview={preview} />
          </li>
        ))}
      </ul>
    </>
  );
};

/** The money of the batches that a person types once more, as for one payment; undefined: it is no large sum. */
const useLargeSum = (previews: readonly Preview[]): number | undefined => {
  const { data: bounds } = useProject();
  const sum = previews.reduce((total, { says }) => total + (says.money ?? 0), 0);
  return bounds !== undefined && sum > bounds.confirmAbove ? sum : undefined;
};

/** Says which batches of a form have begun, by their servers. */
const Begun = ({ batches }: { batches: ReadonlyMap<string, string> }) => {
  const { t } = useTexts();
  return [...batches].map(([serverId, id]) => (
    <p key={id} role="status">
      <ServerName id={serverId} />:{' '}
      <Link to="/batches/$id" params={{ id }}>
        {t('batches.begun')}
      </Link>
    </p>
  ));
};

/** Asks before the batches begin. */
const Question = ({
  previews,
  start,
  onClose,
  children,
}: {
  previews: readonly Preview[];
  start: () => Promise<void>;
  onClose: () => void;
  children: ReactNode;
}) => {
  const { t, number, locale } = useTexts();
  const submitOf = useSubmit();
  const servers = useServerNames();
  const sum = useLargeSum(previews);
  const isForNobody = previews.every(({ says }) => says.targets === 0);
  const [repeated, setRepeated] = useState('');
  return (
    <Confirm
      title={t('batches.start')}
      says={<SaysAll previews={previews} />}
      submit={submitOf(previews)}
      isOff={
        isForNobody || (sum !== undefined && readAmount(repeated, { locale, max: Number.MAX_SAFE_INTEGER }) !== sum)
      }
      lost="once"
      action={start}
      onClose={onClose}
    >
      {sum === undefined ? null : (
        <TextField
          label={t('dialog.repeat', { amount: number(sum) })}
          value={repeated}
          inputMode="numeric"
          autoComplete="off"
          data-autofocus
          onChange={setRepeated}
        />
      )}
      {previews.map(({ body }) => (
        <SentBefore
          key={body.serverId}
          requests={[sameOf(body)]}
          about={previews.length === 1 ? undefined : (servers.get(body.serverId) ?? body.serverId)}
        />
      ))}
      {children}
    </Confirm>
  );
};

type Given = ReadonlyMap<string, readonly string[]>;

const sizeOf = (servers: Given): number => [...servers.values()].reduce((sum, { length }) => sum + length, 0);

/** The chosen players who are online; undefined: all are, none is, or over 10,000 players are online. */
const useOnline = (servers: Given | undefined): { online: Given | undefined; isLooking: boolean } => {
  const { data: keys, isLoading } = useQuery({
    // Not below `players`: there, all are lists that follow the events.
    queryKey: ['online'],
    queryFn: async () => new Set((await readAllKeys({ online: 'true' })).map(keyOf)),
    enabled: servers !== undefined,
    // They are a part of the request: the same once more must be the same, whoever has left meanwhile.
    staleTime: 'static',
    gcTime: 0,
    retry: false,
  });
  if (servers === undefined || keys === undefined) return { online: undefined, isLooking: isLoading };
  const present = [...servers].flatMap(([serverId, players]) => {
    const here = players.filter((identifier) => keys.has(keyOf({ serverId, identifier })));
    return here.length === 0 ? [] : [[serverId, here] as const];
  });
  const online = new Map(present);
  const isPart = online.size > 0 && sizeOf(online) < sizeOf(servers);
  return { online: isPart ? online : undefined, isLooking: false };
};

const FIRST_NAMES = 5;

/** The players whom a person chose in their list, by server, with the first names that are known. */
const GivenPlayers = ({
  servers,
  players: chosen = [],
}: {
  servers: Given;
  players: ChosenTargets['players'] | undefined;
}) => {
  const { count } = useTexts();
  const names = useServerNames();
  const nameOf = new Map(chosen.map((player) => [keyOf(player), player.name]));
  const firstOf = (serverId: string, players: readonly string[]): string => {
    const known = players
      .slice(0, FIRST_NAMES)
      .flatMap((identifier) => nameOf.get(keyOf({ serverId, identifier })) ?? []);
    if (known.length === 0) return '';
    return ` (${known.map(isolated).join(', ')}${players.length > known.length ? ', …' : ''})`;
  };
  return (
    <p className="sentence" data-given>
      {[...servers].map(([serverId, players], at) => (
        <span key={serverId}>
          {at === 0 ? null : ' · '}
          <Foreign>{names.get(serverId) ?? serverId}</Foreign>: {count('players.count', players.length)}
          {firstOf(serverId, players)}
        </span>
      ))}
    </p>
  );
};

/** Leads to the first empty field of a form, when it is opened. */
const FirstEmpty = ({ form }: { form: RefObject<HTMLFormElement | null> }) => {
  useEffect(() => {
    const fields = form.current?.querySelectorAll<HTMLInputElement>('input:not([type=checkbox]), textarea');
    [...(fields ?? [])].find(({ value }) => value === '')?.focus();
  }, [form]);
  return null;
};

/** Starts a batch, after the hub has said what it would do; for chosen players of several servers, one for each. */
export const NewBatchPage = () => {
  const { t, number } = useTexts();
  const navigate = useNavigate();
  const inWords = useInWords();
  const kinds = useTaskKinds();
  const first = useServerField();
  const [chosen, setChosen] = useState<string>();
  const [given, setGiven] = useState<ChosenTargets>();
  const [label, setLabel] = useState('');
  /** The batches of this form that have begun, by their servers: none begins twice after a refusal of another one. */
  const [begun, setBegun] = useState<ReadonlyMap<string, string>>(new Map());
  const all = useMemo(() => given && new Map([...byServer(given)].filter(([id]) => !begun.has(id))), [given, begun]);
  const { online, isLooking } = useOnline(all);
  const [isOnlyOnline, setOnlyOnline] = useState(true);
  const servers: Given | undefined = online !== undefined && isOnlyOnline ? online : all;
  const [draft, setDraft] = useState(newTask(kinds[0] ?? 'give'));
  // The palette hands players over while the form is open, too.
  const isWaiting = useHandedOver() !== undefined;
  useEffect(() => {
    const taken = isWaiting ? takeOver() : undefined;
    if (taken === undefined) return;
    const { kind, players, typed, label: common } = taken;
    setGiven(taken);
    setBegun(new Map());
    setLabel((old) => common ?? old);
    setDraft((old) => ({
      ...{ ...old, isEverybody: false, job: '' },
      command: newDraft(kind, { ...old.command.typed, ...typed }),
      players: players.map(({ identifier }) => identifier).join('\n'),
    }));
  }, [isWaiting]);
  const [isTouched, setTouched] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const [previews, setPreviews] = useState<readonly Preview[]>();
  const [made, setMade] = useState<readonly string[]>();
  const serverId = chosen ?? first;
  const formServer = servers?.keys().next().value ?? serverId;
  const task = readTask(draft, useTaskRules(formServer));
  const look = useMutation({
    mutationFn: async (bodies: readonly Schemas['BatchRequest'][]) => {
      const read = async (body: Schemas['BatchRequest']): Promise<Preview[]> => {
        const says = await send({ ...body, dryRun: true }, newOrderKey());
        return 'dryRun' in says ? [{ body, says }] : [];
      };
      setPreviews((await Promise.all(bodies.map(read))).flat());
    },
  });
  // Once the form no longer holds the page back.
  useEffect(() => {
    const [id, ...others] = made ?? [];
    if (id === undefined) return;
    void (others.length > 0 ? navigate({ to: '/batches' }) : navigate({ to: '/batches/$id', params: { id } }));
  }, [made, navigate]);
  const start = async (wanted: readonly Preview[]): Promise<void> => {
    const started = new Map(begun);
    // One after the other, as long as none is refused.
    for (const preview of wanted) {
      const { body } = preview;
      if (started.has(body.serverId)) continue;
      const about = { what: inWords(preview), path: '/batches' };
      const batch = await once(sameOf(body), about, (key) => send(body, key));
      if ('id' in batch) started.set(body.serverId, batch.id);
      setBegun(new Map(started));
    }
    setMade([...started.values()]);
  };
  const submit = (): void => {
    setTouched(true);
    if (task?.targets === undefined || (servers === undefined && serverId === '')) return;
    const { targets, ...rest } = task;
    const wanted: [string, Targets][] =
      servers === undefined ? [[serverId, targets]] : [...servers].map(([id, players]) => [id, [...players]]);
    const named = label.trim() !== '' && { label: label.trim() };
    look.mutate(wanted.map(([id, players]) => ({ serverId: id, ...rest, targets: players, ...named })));
  };
  // Enter may come before it is known who is online.
  const isAsked = useRef(false);
  useEffect(() => {
    if (!isAsked.current || isLooking) return;
    isAsked.current = false;
    form.current?.requestSubmit();
  });
  const ask = (): void => {
    if (isLooking) isAsked.current = true;
    else submit();
  };
  const isDirty =
    made === undefined &&
    (label !== (given?.label ?? '') ||
      (draft.players !== '' && given === undefined) ||
      Object.entries(draft.command.typed).some(([name, text]) => text !== (given?.typed?.[name] ?? '')));
  return (
    <Page title={t('batches.new')}>
      <form ref={form} className="card stack narrow" {...sending(look.isPending ? undefined : ask)}>
        <UnsentForm isDirty={isDirty} />
        {/* Players who were handed over fill fields in. */}
        <FirstEmpty key={String(given === undefined)} form={form} />
        {servers === undefined ? (
          <ServerField value={serverId} onChange={setChosen} />
        ) : (
          <GivenPlayers servers={servers} players={given?.players} />
        )}
        {previews === undefined ? <Begun batches={begun} /> : null}
        {online === undefined ? null : (
          <CheckField
            label={t('task.onlyOnline', { count: number(sizeOf(online)) })}
            checked={isOnlyOnline}
            onChange={setOnlyOnline}
          />
        )}
        <TaskFields
          kinds={kinds}
          serverId={formServer}
          task={draft}
          arePlayersGiven={servers !== undefined}
          isTouched={isTouched}
          onChange={(change) => setDraft((old) => ({ ...old, ...change }))}
        />
        <TextField label={t('task.label.optional')} value={label} maxLength={MAX_LABEL} onChange={setLabel} />
        {look.error === null ? null : <Failed error={look.error} lost="again" />}
        <div>
          <Button isMain type="submit" isBusy={look.isPending || isLooking}>
            {t('batches.preview')}
          </Button>
        </div>
      </form>
      {previews === undefined ? null : (
        <Question
          previews={previews.filter(({ body }) => !begun.has(body.serverId))}
          start={() => start(previews)}
          onClose={() => setPreviews(undefined)}
        >
          <Begun batches={begun} />
        </Question>
      )}
    </Page>
  );
};
