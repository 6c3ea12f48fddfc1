import { bridgeSteps, type Step } from './bridge.ts';
import { faults } from './faults.ts';
import { hubSteps } from './hub.ts';
import { type Exploration, search } from './search.ts';
import { type Config, copyOf, firstWorld, type Status, type World } from './world.ts';

const NEVER: ReadonlySet<Status> = new Set(['failed', 'rejected', 'voided', 'expired']);
const FINAL: ReadonlySet<Status> = new Set(['succeeded', ...NEVER, 'indeterminate']);

const DEADLINE: Step = {
  name: 'the deadline passes',
  take: (world) => {
    world.isLate = true;
  },
};

/** The promises, checked in every state. Undefined: all hold; else the broken promise. */
const brokenIn = (world: World, { bridgeClass, faults: { 'journal lost': lost = 0 } }: Config): string | undefined => {
  const { row, told, bridge, isRestored } = world;
  const { effects, unsaved } = bridge;
  const [applied = 0] = effects;
  if (effects.length + unsaved.length > 1) return 'the effect happened twice';
  // A hub that lost its newest rows may say less than what happened. It must not do it again.
  if (isRestored) return undefined;
  if (row === 'succeeded' && effects.length !== 1) return 'succeeded, and it is not durable';
  if (row === 'succeeded' && told !== applied) return `succeeded with ${told} pieces, and ${applied} were applied`;
  if (NEVER.has(row) && effects.length + unsaved.length > 0) return `${row}, and it happened`;
  if (effects.length > 0 && row === 'none') return 'it happened, and the hub knows nothing of it';
  if (row === 'indeterminate' && bridgeClass === 'atomic' && lost === 0) return 'indeterminate with an atomic journal';
  return undefined;
};

/** Nothing is left to happen by itself: bridge and hub have met, so the command must have ended. */
const brokenAtRest = ({ row, isLate }: World): string | undefined =>
  !isLate || FINAL.has(row) || row === 'none' ? undefined : `at rest, and the command is ${row}`;

/** Removes data without any further consequence, so that states which differ only in that are equal. */
const tidy = (world: World): World => {
  for (const socket of world.sockets) {
    // The bridge notices the end of a socket when it has read everything; when it reconnects is another step.
    if (socket.down.length === 0 && (!socket.hubEnd || socket.isCut)) socket.bridgeEnd = false;
    if (!socket.bridgeEnd) Object.assign(socket, { down: [], isOld: false });
    // Frames of the hub on this socket are lost.
    if (!socket.bridgeEnd || socket.isCut) Object.assign(socket, { owed: [], voided: true });
    // The outcome is unknown.
    if (socket.hubEnd && !socket.bridgeEnd) socket.isCut = true;
    if (!socket.hubEnd) Object.assign(socket, { up: [], owed: [], phase: 'silent', current: false, voided: false });
  }
  world.sockets = world.sockets.filter(({ hubEnd, bridgeEnd }) => hubEnd || bridgeEnd);
  return world;
};

const codeOf = (value: boolean): string => (value ? '1' : '0');

/** A state as a short text: equal exactly for equal states. */
const keyOf = ({
  row,
  told,
  room,
  unmarked,
  knownJournal,
  nodes,
  isLate,
  sockets,
  bridge,
  isRestored,
  faults: left,
}: World): string =>
  [
    `${row}${told}${room}`,
    codeOf(unmarked) + codeOf(isLate) + codeOf(isRestored) + nodes.map(codeOf).join('') + knownJournal,
    `${codeOf(bridge.isUp)}${codeOf(bridge.acked)}${bridge.journal}${bridge.effects}/${bridge.unsaved}`,
    bridge.entry,
    bridge.running,
    Object.values(left).join(''),
    ...sockets.map(
      ({ node, hubEnd, bridgeEnd, isOld, isCut, phase, current, journal, owed, down, up, voided }) =>
        `${node}${codeOf(hubEnd)}${codeOf(bridgeEnd)}${codeOf(isOld)}${codeOf(isCut)}${codeOf(current)}${codeOf(voided)}${journal}${phase}/${owed}/${down}/${up}`,
    ),
  ].join(' ');

/** Visits every state that any order of steps and faults can reach, until a promise is broken. */
export const explore = (config: Config): Exploration =>
  search<World>({
    first: firstWorld(config),
    copyOf,
    keyOf: (world) => keyOf(tidy(world)),
    progress: (world) => [...bridgeSteps(world, config), ...hubSteps(world, config)],
    chances: (world) => (world.isLate ? faults(world, config) : [...faults(world, config), DEADLINE]),
    brokenIn: (world) => brokenIn(world, config),
    brokenAtRest,
  });
