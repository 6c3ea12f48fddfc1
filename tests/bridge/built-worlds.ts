import { builtOxCore, chooseCharacter, installBuiltOxCore, oxCoreTables } from '../fxserver/built-ox-core.ts';
import { checkedOut } from '../fxserver/checkouts.ts';
import { OX, type World } from './frameworks.ts';

const root = process.env['CAUSEWAY_FRAMEWORKS'];
const mysql = process.env['CAUSEWAY_MYSQL'];
const folder = builtOxCore(root);

type Besides = Readonly<Record<string, RegExp>>;

/** ox_core as it was built, with its own driver over the same MariaDB, and players who choose their characters. */
const worldWith = (besides: Besides): World[] => {
  if (root === undefined || mysql === undefined || folder === undefined) return [];
  return [
    {
      ...OX,
      name: 'real-ox_core',
      realTables: oxCoreTables(folder),
      ...checkedOut({
        root,
        name: 'ox_core',
        loaded: { event: 'ox:playerLoaded', sourceOf: (source: number) => source },
        built: installBuiltOxCore(folder, (database) => `${mysql}/${database}`),
        besides,
      }),
      load: chooseCharacter,
      spawn: () => undefined,
    },
  ];
};

/** Worlds from a folder with a built ox_core over a MariaDB; empty without both. */
export const REAL_OX_CORE: readonly World[] = worldWith({});

/** The same with ox_inventory. */
export const REAL_OX_CORE_ITEMS: readonly World[] = worldWith({ ox_inventory: /Inventory has loaded/ });
