import type { ReactNode } from 'react';
import type { Command } from './api.ts';
import type { paths } from './api-types.ts';
import type { Texts } from './i18n.ts';
import type { MessageKey } from './messages/en.ts';
import { Foreign, isolated, plain } from './parts/text.tsx';

type NameIn<P> = P extends `/api/v2/bridge/{serverId}/${infer Name}`
  ? Name extends `actions${string}`
    ? never
    : Name
  : never;
/** The built-in commands, by the routes of the hub's API. */
type BuiltIn = NameIn<keyof paths>;

type Kind = {
  /** The kind of the command, in words. */
  title: MessageKey;
  /** Describes one command of this kind; without it, the title is shown. */
  describe?: (texts: Texts, params: Command['params']) => string;
  /** Describes the effect on the player in one sentence; without it, the result's fields are shown. */
  done?: (texts: Texts, player: ReactNode, result: NonNullable<Command['result']>) => ReactNode;
};

/** The panel's texts for each built-in command. */
const KINDS: Record<BuiltIn, Kind> = {
  kick: {
    title: 'command.kick',
    done: ({ rich }, player) => rich('dialog.done.kick', { name: player }),
  },
  money: {
    title: 'command.money',
    describe: ({ t, number }, params) =>
      t(`command.money.${params['action'] === 'add' ? 'add' : 'remove'}`, {
        amount: number(Number(params['amount'])),
        account: isolated(String(params['type'])),
      }),
    done: ({ rich, number }, player, result) => {
      const of = (field: string): string => number(Number(result[field] ?? 0));
      const account = plain(String(result['account'] ?? ''));
      return rich('dialog.done.money', { account, name: player, before: of('before'), after: of('after') });
    },
  },
};

export const BUILT_IN = Object.keys(KINDS) as BuiltIn[];

const kindOf = (name: string): Kind | undefined => (Object.hasOwn(KINDS, name) ? KINDS[name as BuiltIn] : undefined);

/** The kind of a command, in words. */
export const describeName = ({ t }: Texts, name: string): string => {
  const kind = kindOf(name);
  return kind === undefined ? isolated(name.replace(/^custom:/, '')) : t(kind.title);
};

/** Describes a command as text. */
export const describe = (texts: Texts, { name, params }: Pick<Command, 'name' | 'params'>): string =>
  kindOf(name)?.describe?.(texts, params) ?? describeName(texts, name);

/** Describes the effect of a command on the player; undefined if its kind has no text for that. */
export const describeDone = (texts: Texts, { name, result }: Command, player: string): ReactNode =>
  kindOf(name)?.done?.(texts, <Foreign key="name">{player}</Foreign>, result ?? {});
