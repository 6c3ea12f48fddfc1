import type { ReactNode } from 'react';
import type { Command, Schemas, Scope, Server } from './api.ts';
import { type BuiltIn, isCustomName, isLasting } from './commands/kinds.ts';
import type { Texts } from './i18n.ts';
import type { MessageKey } from './messages/keys.ts';
import { Foreign, isolated, plain } from './parts/text.tsx';
import { textOf } from './parts/values.tsx';

type Kind = {
  scope: Scope;
  title: MessageKey;
  /** Describes one command of this kind; without it, the title is shown. */
  describe?: (texts: Texts, params: Command['params'], result: Command['result']) => string;
  /** Describes the effect on the player in one sentence; without it, the result's fields are shown. */
  done?: (texts: Texts, player: ReactNode, result: NonNullable<Command['result']>) => ReactNode;
};

const confirmed: NonNullable<Kind['done']> = ({ t }, _player, result) =>
  t(result['confirmedBy'] === 'client' ? 'dialog.done.client' : 'dialog.done.server');

const counted =
  (says: MessageKey, thing: string): NonNullable<Kind['done']> =>
  ({ rich, number }, player, result) => {
    const of = (field: string): string => number(Number(result[field] ?? 0));
    const what = plain(String(result[thing] ?? ''));
    return rich(says, { [thing]: what, name: player, before: of('before'), after: of('after') });
  };

type Held = { job?: unknown; grade?: unknown };

const jobOf = (held: unknown): string => {
  const { job, grade } = (held ?? {}) as Held;
  return plain(`${String(job ?? '–')} (${String(grade ?? '–')})`);
};

const KINDS: Record<BuiltIn, Kind> = {
  kick: {
    scope: 'commands:kick',
    title: 'command.kick',
    done: ({ rich }, player) => rich('dialog.done.kick', { name: player }),
  },
  money: {
    scope: 'commands:money',
    title: 'command.money',
    describe: ({ t, number }, params) =>
      t(`command.money.${params['action'] === 'add' ? 'add' : 'remove'}`, {
        amount: number(Number(params['amount'])),
        account: isolated(String(params['type'])),
      }),
    done: counted('dialog.done.money', 'account'),
  },
  items: {
    scope: 'commands:items',
    title: 'command.items',
    describe: ({ t, number }, params, result) => {
      const [ordered, applied] = [params['count'], result?.['applied']];
      const count = number(Number(ordered));
      const isPart = typeof applied === 'number' && applied !== ordered;
      return t(`command.items.${params['action'] === 'add' ? 'add' : 'remove'}`, {
        count: isPart ? t('command.items.part', { done: number(applied), count }) : count,
        item: isolated(String(params['item'])),
      });
    },
    done: counted('dialog.done.items', 'item'),
  },
  vehicles: {
    scope: 'commands:vehicles',
    title: 'command.vehicles',
    describe: ({ t }, params) => {
      const [model, plate] = [params['model'], params['plate']].map((each) => isolated(String(each ?? '')));
      switch (params['action']) {
        case 'give':
          return t('command.vehicles.give', { model: model ?? '' });
        case 'take':
          return t('command.vehicles.take', { plate: plate ?? '' });
        default:
          return t('command.vehicles.store', { plate: plate ?? '' });
      }
    },
    done: ({ rich }, _player, result) => {
      const of = (field: string): string => plain(String(result[field] ?? '–'));
      return rich('dialog.done.vehicles', { model: of('model'), plate: of('plate'), garage: of('garage') });
    },
  },
  job: {
    scope: 'commands:job',
    title: 'command.job',
    describe: ({ t }, params) =>
      t('command.job.set', { job: isolated(String(params['job'])), grade: isolated(String(params['grade'])) }),
    done: ({ rich }, player, result) =>
      rich('dialog.done.job', { name: player, before: jobOf(result['before']), after: jobOf(result['after']) }),
  },
  announce: {
    scope: 'commands:announce',
    title: 'command.announce',
    done: ({ count }, _player, result) => count('dialog.done.shown', Number(result['players'] ?? 0)),
  },
  message: { scope: 'commands:announce', title: 'command.message', done: confirmed },
  revive: { scope: 'commands:player', title: 'command.revive', done: confirmed },
  heal: { scope: 'commands:player', title: 'command.heal', done: confirmed },
  freeze: { scope: 'commands:player', title: 'command.freeze', done: confirmed },
  teleport: { scope: 'commands:player', title: 'command.teleport', done: confirmed },
};

export const OBSTACLES: Record<NonNullable<Command['waitingFor']>, MessageKey> = {
  server: 'detail.waits.server',
  player: 'detail.waits.player',
};

export const BUILT_IN = Object.keys(KINDS) as BuiltIn[];

export const isAnnounced = ({ bridge }: Pick<Server, 'bridge'>, name: BuiltIn): boolean =>
  bridge?.commands.some((tag) => tag.startsWith(`${name}@`)) === true;

const kindOf = (name: string): Kind | undefined => (Object.hasOwn(KINDS, name) ? KINDS[name as BuiltIn] : undefined);

/** The scope that a key needs to send a command; undefined: nobody sends it by itself. */
export const scopeOf = (name: string): Scope | undefined =>
  isCustom({ name }) ? 'commands:custom' : kindOf(name)?.scope;

export const describeName = ({ t }: Texts, name: string): string => {
  const kind = kindOf(name);
  return kind === undefined ? isolated(name.replace(/^custom:/, '')) : t(kind.title);
};

/** Whether a command takes effect at most once, and a person decides if its outcome stays unknown. */
export const isOnce = (name: string): boolean => isLasting(name) || isCustomName(name);

export const isCustom = ({ name }: Pick<Command, 'name'>): boolean => isCustomName(name);

/** The parameters of a custom command by their roles, as far as their values fit. `others`: those that have no role. */
export const paramsByRole = ({ params, roles = {} }: Pick<Command, 'params' | 'roles'>) => {
  const { amount, item, reason, player = 'target' } = roles;
  const given = (name: string | undefined): unknown => (name === undefined ? undefined : params[name]);
  const [count, what, why] = [given(amount), given(item), given(reason)];
  const known = {
    ...(typeof count === 'number' && { amount: count }),
    ...(typeof what === 'string' && { item: what }),
    ...(typeof why === 'string' && { reason: why }),
  };
  const shown = new Set([player, ...Object.keys(known).map((role) => roles[role as keyof typeof known])]);
  return { ...known, others: Object.fromEntries(Object.entries(params).filter(([name]) => !shown.has(name))) };
};

const describeCustom = (texts: Texts, command: Pick<Command, 'name' | 'params' | 'roles'>): string => {
  const { amount, item } = paramsByRole(command);
  const parts = [
    ...(amount === undefined ? [] : [texts.number(amount)]),
    ...(item === undefined ? [] : [isolated(item)]),
  ];
  const name = describeName(texts, command.name);
  return parts.length === 0 ? name : `${name}: ${parts.join(' × ')}`;
};

export const describe = (texts: Texts, command: Pick<Command, 'name' | 'params' | 'roles' | 'result'>): string =>
  isCustom(command)
    ? describeCustom(texts, command)
    : (kindOf(command.name)?.describe?.(texts, command.params, command.result) ?? describeName(texts, command.name));

/** A command in a row: `+250 bank`. */
export const brief = (texts: Texts, command: Pick<Command, 'name' | 'params' | 'roles' | 'result'>): string => {
  const { name, params } = command;
  if (name !== 'money') return describe(texts, command);
  return `${params['action'] === 'add' ? '+' : '−'}${texts.number(Number(params['amount']))} ${isolated(String(params['type']))}`;
};

/** The reason that a person gave. The hub writes its own for an undo, in English for game servers. */
export const reasonOf = (command: Pick<Command, 'name' | 'params' | 'roles' | 'undoes'>): string | undefined => {
  const reason = isCustom(command) ? paramsByRole(command).reason : command.params['reason'];
  const isOfHub =
    command.undoes !== undefined &&
    [`Undo of ${command.undoes}`, `Refund of ${command.undoes}`].includes(String(reason));
  return typeof reason === 'string' && !isOfHub ? reason : undefined;
};

/** The text that a command shows to players. */
export const wordsOf = ({ name, params }: Pick<Command, 'name' | 'params'>): string | undefined =>
  (name === 'message' || name === 'announce') && typeof params['message'] === 'string' ? params['message'] : undefined;

/** The name of a command's sender; a shop's command has the name of the person who decided it, too. */
export const senderOf = ({ actor, decidedBy }: Pick<Command, 'actor' | 'decidedBy'>): string =>
  decidedBy === undefined ? actor.name : `${decidedBy.name} · ${actor.name}`;

/** A command of a job in the words of its game server. `jobs`: those that are known. */
export const labelled = <C extends Command>(command: C, jobs: readonly Schemas['CatalogueEntry'][]): C => {
  const inWords = (held: unknown): unknown => {
    const { job, grade } = (held ?? {}) as Held;
    const entry = jobs.find(({ name }) => name === job);
    if (entry === undefined) return held;
    const label = entry.grades?.find((each) => each.grade === grade)?.label.trim();
    return { ...(held as Held), job: entry.label, grade: label || grade };
  };
  const { params, result } = command;
  const words = { params: inWords(params) as C['params'] };
  return { ...command, ...words, ...(result && { result: { ...result, before: inWords(result['before']) } }) };
};

/** The change that a command made: `100 → 350`; of a job, which the command names itself, the one before. */
export const changeOf = ({ t, number }: Texts, { name, result }: Command): string | undefined => {
  const { before, after } = result ?? {};
  if (name === 'job') return before === undefined ? undefined : t('command.job.was', { job: jobOf(before) });
  const isCounted = name === 'money' || name === 'items';
  return isCounted && typeof before === 'number' && typeof after === 'number'
    ? `${number(before)} → ${number(after)}`
    : undefined;
};

/** Describes a batch; the commands of an undo differ. */
export const describeBatch = (texts: Texts, batch: Schemas['Batch']): string =>
  batch.undoes === undefined ? describe(texts, { ...batch, result: null }) : texts.t('batches.undo');

/** The label of a batch; an undo has that of the batch that it undoes. */
export const labelOf = ({ t }: Texts, { label, undoes }: Schemas['Batch']): string | null =>
  undoes === undefined || label === null ? label : t('batches.undoOf', { label });

/** Describes a command of a shop. Its game server may be away, so the parameters of a custom command have no roles. */
export const describeBought = (texts: Texts, { name, params }: Pick<Command, 'name' | 'params'>): string => {
  if (!isCustom({ name })) return describe(texts, { name, params, result: null });
  const told = textOf(params);
  return told === '' ? describeName(texts, name) : `${describeName(texts, name)}: ${plain(told)}`;
};

/** Describes the effect of a command on the player; undefined if its kind has no text for that. */
export const describeDone = (texts: Texts, { name, result }: Command, player: string): ReactNode =>
  result === null || result === undefined
    ? undefined
    : kindOf(name)?.done?.(texts, <Foreign key="name">{player}</Foreign>, result);
