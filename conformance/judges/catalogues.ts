import type { BridgeMessage, CatalogueEntry, CatalogueKind } from '../../bridge-protocol/wire/messages.ts';

/** Verify tries a few entries only. */
const KEPT = 200;

/** The first entries of each catalogue of the bridge, in its order. */
export const createCatalogues = () => {
  const known = new Map<CatalogueKind, readonly CatalogueEntry[]>();
  const entriesOf = (kind: CatalogueKind): readonly CatalogueEntry[] => known.get(kind) ?? [];
  return {
    heard: (message: BridgeMessage): void => {
      if (message.type !== 'catalogue') return;
      const { kind, part, entries } = message;
      known.set(kind, [...(part === 0 ? [] : entriesOf(kind)), ...entries].slice(0, KEPT));
    },
    entriesOf,
  };
};
