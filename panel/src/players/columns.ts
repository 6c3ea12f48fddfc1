import { useState } from 'react';
import type { PlayerSummary } from '../api.ts';
import { createStore } from '../store.ts';

/** A column beside the name and the actions. */
export type Column = 'here' | 'job' | 'group' | 'discord' | 'identifier' | 'server' | `account:${string}` | 'played';
/** From which width a column is shown: a small window, a usual one, a wide one. */
export type Reach = 'small' | 'desk' | 'wide';
export type Shown = { column: Column; reach: Reach };

const STORED = 'causeway-columns';
const MAX_ACCOUNTS = 3;
const TRACKS: Record<string, { reach: Reach; desk: string; wide: string }> = {
  here: { reach: 'small', desk: '80px', wide: '88px' },
  job: { reach: 'small', desk: 'minmax(0, 160fr)', wide: 'minmax(0, 184fr)' },
  group: { reach: 'wide', desk: '', wide: 'minmax(0, 96fr)' },
  discord: { reach: 'desk', desk: 'minmax(min(152px, 12vw), 144fr)', wide: 'minmax(152px, 176fr)' },
  identifier: { reach: 'wide', desk: '', wide: 'minmax(0, 136fr)' },
  server: { reach: 'small', desk: 'minmax(0, 112fr)', wide: 'minmax(0, 136fr)' },
  played: { reach: 'wide', desk: '', wide: '88px' },
};
const ACCOUNTS = [
  { reach: 'small', desk: '116px', wide: '120px' },
  { reach: 'desk', desk: '92px', wide: '104px' },
  { reach: 'wide', desk: '104px', wide: '104px' },
] as const;

/** The account of a column; undefined: it is no column of an account. */
export const accountOf = (column: string): string | undefined =>
  column.startsWith('account:') ? column.slice('account:'.length) : undefined;

const rank = (type: string): number => ['bank', 'cash', 'money'].indexOf(type) + 1 || Number.MAX_SAFE_INTEGER;
/** Bank and cash first, then by name. */
export const inOrder = (accounts: Iterable<string>): string[] =>
  [...new Set(accounts)].toSorted((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));

export const discordOf = ({ identifiers }: PlayerSummary): string | undefined =>
  identifiers.find((each) => each.startsWith('discord:'))?.slice('discord:'.length);

/** The columns for which some of these players have something to show. */
const filledBy = (players: readonly PlayerSummary[]): Column[] => [
  ...(players.some(({ job }) => job !== null) ? (['job'] as const) : []),
  ...(players.some(({ group }) => group !== null) ? (['group'] as const) : []),
  ...(players.some((player) => discordOf(player) !== undefined) ? (['discord'] as const) : []),
  ...inOrder(players.flatMap(({ accounts }) => Object.keys(accounts))).map((type) => `account:${type}` as const),
  ...(players.some(({ playedMinutes }) => playedMinutes !== null) ? (['played'] as const) : []),
];

const readHidden = (): Record<string, boolean> => {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? '{}') as Record<string, boolean>;
  } catch {
    return {};
  }
};
/** The person's choice in this browser: columns that are shown or not, against the rule. */
const chosen = createStore(readHidden());

/** Remembers in this browser whether a column is shown. */
export const chooseColumn = (column: Column, isShown: boolean): void => {
  const next = { ...chosen.get(), [column]: isShown };
  localStorage.setItem(STORED, JSON.stringify(next));
  chosen.set(next);
};

const trackOf = (column: Column, nthAccount: number) =>
  TRACKS[column] ?? ACCOUNTS[Math.min(nthAccount, ACCOUNTS.length - 1)] ?? ACCOUNTS[0];

/**
 * The columns of the list, and all that there could be. A column that had something to show once stays, so that no column
 * moves while one types.
 */
export const useColumns = (players: readonly PlayerSummary[], accounts: readonly string[], hasServers: boolean) => {
  const [seen, setSeen] = useState<ReadonlySet<Column>>(new Set());
  const fresh = filledBy(players).filter((column) => !seen.has(column));
  if (fresh.length > 0) setSeen(new Set([...seen, ...fresh]));
  const choices = chosen.use();
  const known = [...seen].flatMap((column) => accountOf(column) ?? []);
  const types = inOrder([...accounts, ...known]);
  const all: Column[] = [
    'here',
    ...(['job', 'group', 'discord'] as const).filter((column) => seen.has(column)),
    'identifier',
    ...(hasServers ? (['server'] as const) : []),
    ...types.map((type) => `account:${type}` as const),
    ...(seen.has('played') ? (['played'] as const) : []),
  ];
  const isUsual = (column: Column): boolean => {
    const type = accountOf(column);
    return type === undefined || types.indexOf(type) < MAX_ACCOUNTS;
  };
  const shown = all
    .filter((column) => choices[column] ?? isUsual(column))
    .map((column): Shown => {
      const type = accountOf(column);
      const { reach } = trackOf(column, type === undefined ? 0 : types.indexOf(type));
      // A column that was asked for is shown where it fits by the rule, and on a usual desk.
      return { column, reach: choices[column] === true && reach === 'wide' ? 'desk' : reach };
    });
  return { all, shown };
};

const REACHES: readonly Reach[] = ['small', 'desk', 'wide'];
const NAME = { desk: 'minmax(144px, 224fr)', wide: 'minmax(144px, 248fr)' };

/** The tracks of the grid, for a small window, a usual one and a wide one. */
export const tracksOf = (shown: readonly Shown[], hasBoxes: boolean): Record<Reach, string> => {
  const of = (at: Reach): string => {
    let accounts = -1;
    const tracks = shown.map(({ column, reach }) => {
      if (accountOf(column) !== undefined) accounts += 1;
      if (REACHES.indexOf(reach) > REACHES.indexOf(at)) return '';
      const { desk, wide } = trackOf(column, accounts);
      return at === 'wide' || desk === '' ? wide : desk;
    });
    return [hasBoxes ? '32px' : '', at === 'wide' ? NAME.wide : NAME.desk, ...tracks, '96px']
      .filter((track) => track !== '')
      .join(' ');
  };
  return { small: of('small'), desk: of('desk'), wide: of('wide') };
};
