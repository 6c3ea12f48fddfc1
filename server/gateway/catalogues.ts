import { setTimeout as sleep } from 'node:timers/promises';
import { type BridgeMessage, type CatalogueEntry, LIMITS, type MessageOf } from '../../bridge-protocol/index.ts';
import { createTurns } from '../../db/turns.ts';
import type { Session } from '../cluster/router.ts';
import type { GatewayDeps } from '../parts/parts.ts';
import { Pace } from '../platform/windows.ts';

type Part = MessageOf<BridgeMessage, 'catalogue'>;

/** A catalogue of which parts have come. */
export type PartialCatalogue = Pick<Part, 'kind' | 'hash'> & {
  parts: number;
  bytes: number;
  entries: CatalogueEntry[];
};

/** A catalogue of 2 MiB takes some 40 ms to store. Those of one project have this pause between them. */
const PAUSE_MS = 250;

/** Bytes of a frame beside its entries. */
const FRAME_HEAD = 1_024;

/** Collects the parts of a catalogue, and stores it when the last one has come. */
export const createCatalogues = ({ store, events }: GatewayDeps) => {
  const put = async (session: Session, { kind, hash, entries }: PartialCatalogue): Promise<void> => {
    const { projectId, serverId, epoch } = session;
    if (!session.isOpen()) return;
    const known = await store.catalogues.heads(projectId, serverId);
    if (known.some((head) => head.kind === kind && head.hash === hash)) return;
    const catalogue = { projectId, serverId, kind, hash, syncedAt: Date.now(), entries };
    // A session that was replaced meanwhile must not overwrite the catalogue of the newer one.
    if (!(await store.catalogues.put({ ...catalogue, epoch }))) return;
    events.publish(projectId, { type: 'catalogue.changed', serverId, data: { kind, hash } });
  };

  /** The catalogues of each connection that wait to be stored: the newest of each kind. */
  const waiting = new WeakMap<object, Map<Part['kind'], PartialCatalogue>>();
  const inTurn = createTurns();
  const puts = new Pace(PAUSE_MS);

  /** Stores the catalogues of a project one after the other, so that the newest one stays. Skips replaced ones. */
  const putInTurn = async (connection: object, session: Session, whole: PartialCatalogue): Promise<void> => {
    const newest = waiting.get(connection) ?? new Map<Part['kind'], PartialCatalogue>();
    waiting.set(connection, newest);
    const replaced = newest.get(whole.kind);
    if (replaced !== undefined) replaced.entries = [];
    newest.set(whole.kind, whole);
    await inTurn(session.projectId, async () => {
      if (newest.get(whole.kind) !== whole) return;
      await sleep(puts.book(session.projectId));
      if (newest.get(whole.kind) !== whole) return;
      newest.delete(whole.kind);
      await put(session, whole);
    });
  };

  return {
    /**
     * Takes one part. A catalogue with a missing part, or over the limit, is dropped: the earlier one stays. `refuse`
     * gets the reason.
     */
    take: async (
      connection: { catalogue: PartialCatalogue | undefined },
      session: Session,
      { kind, hash, part, last, entries }: Part,
      bytes: number,
      refuse: (problem: string) => void,
    ): Promise<void> => {
      const begun = part === 0 ? { kind, hash, parts: 0, bytes: 0, entries: [] } : connection.catalogue;
      connection.catalogue = undefined;
      if (begun === undefined || begun.kind !== kind || begun.hash !== hash || begun.parts !== part) {
        return refuse(`part ${part} of the catalogue of ${kind} does not follow the part before it`);
      }
      if (begun.entries.length + entries.length > LIMITS.catalogueEntries) {
        return refuse(`a catalogue has at most ${LIMITS.catalogueEntries} entries`);
      }
      begun.parts += 1;
      begun.bytes += bytes;
      if (begun.bytes > LIMITS.catalogueBytes + begun.parts * FRAME_HEAD) {
        return refuse(`a catalogue has at most ${LIMITS.catalogueBytes} bytes`);
      }
      if (kind !== 'jobs' && entries.some(({ grades }) => grades !== undefined)) return refuse('only jobs have grades');
      begun.entries.push(...entries);
      if (last) await putInTurn(connection, session, begun);
      else connection.catalogue = begun;
    },
  };
};
