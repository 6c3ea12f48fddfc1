import { type Bridge, type BridgeState, createBridge } from '../bridge-protocol/client/bridge.ts';
import type { Journal } from '../bridge-protocol/journal/journal.ts';
import { openWebSocket } from '../bridge-protocol/ws.ts';
import { ask, type Description } from './adapter.ts';
import { cataloguesSource, reportCatalogues } from './catalogues.ts';
import { createResourceCommands } from './custom.ts';
import { offerExports } from './exports.ts';
import { makeFirstUses } from './first-uses.ts';
import { createHealth } from './health.ts';
import { createKick } from './kick.ts';
import { openKvpJournal } from './kvp-journal.ts';
import { convar, kvp, resourceName, say } from './natives.ts';
import { ordersOf, settleLeftOvers } from './orders.ts';
import { nextTick } from './pace.ts';
import { createPlayersSource, reportChanges } from './players.ts';
import { watchRestarts } from './restarts.ts';
import { VERSION } from './version.ts';

const NAME = 'causeway';
const LOOK_AGAIN_MS = 1_000;
/** The protocol takes no longer text, and a framework may call its version what it likes. */
const MAX_VERSION = 64;

/** Waits for a framework that starts after this resource, or whose exports do not answer yet. */
const adapterReady = async (): Promise<Description> => {
  for (let told = ''; ; ) {
    let line = 'waiting for the framework to start';
    try {
      const description = await ask('describe');
      if (description !== undefined) return description;
    } catch (error) {
      line = `the framework does not answer yet: ${String(error)}`;
    }
    if (line !== told) say(line);
    told = line;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
};

/** Prints each state once, for the server's operator; repeated failures with the same cause are one line. */
const createTelling = () => {
  let last = '';
  return (state: BridgeState, detail: string): void => {
    const why = detail.replace(/; next attempt in \d+ ms$/, '');
    const line =
      state === 'welcomed'
        ? 'connected to the hub'
        : state === 'stopped'
          ? `stopped: ${why}${/invalid_token|4501|HTTP 401/.test(why) ? ' (check causeway_token in server.cfg)' : ''}`
          : state === 'waiting'
            ? `the hub cannot be reached: ${why}; trying again`
            : undefined;
    if (line === undefined || line === last) return;
    last = line;
    say(line);
  };
};

const resources = createResourceCommands();
let running: Bridge | undefined;

/** None of these parts has run or been compiled yet, so each gets its own tick. */
const connect = async (
  description: Description,
  journal: Journal,
  { url, token }: { url: string; token: string },
): Promise<Bridge> => {
  const health = createHealth(description);
  const orders = ordersOf(description);
  const openSocket = openWebSocket({ url, token });
  await nextTick();
  await makeFirstUses({ url });
  const bridge = createBridge({
    openSocket,
    software: {
      name: 'causeway-bridge',
      version: VERSION,
      game: convar('gamename') === 'rdr3' ? 'redm' : 'fivem',
      framework: description.framework,
      ...(description.version === '' ? {} : { frameworkVersion: description.version.slice(0, MAX_VERSION) }),
    },
    journal,
    accounts: description.accounts,
    commands: { kick: createKick(), ...orders.commands },
    classes: orders.classes,
    versions: { announce: 2 },
    custom: resources.commands,
    players: createPlayersSource(description),
    catalogues: cataloguesSource(description),
    status: health.status,
    onState: createTelling(),
    log: (level, message) => {
      // The states report a lost connection; this handler reports all other errors.
      if (level !== 'info' && !message.startsWith('The connection to the hub was')) say(`${level}: ${message}`);
    },
  });
  watchRestarts({ bridge, restarts: health.restarts, ended: health.close });
  await nextTick();
  reportChanges({ bridge, log: say });
  reportCatalogues(bridge);
  await nextTick();
  bridge.start();
  return bridge;
};

const start = async (): Promise<void> => {
  const url = convar('causeway_url');
  const token = convar('causeway_token');
  if (url === '' || token === '') {
    say('causeway_url and causeway_token are not set in server.cfg, or this resource may not read them');
    return;
  }
  // Typographic quotes or a line break in the token: HTTP headers do not allow them.
  if (!/^[!-~]+$/.test(token)) {
    say('causeway_token contains invalid characters (check causeway_token in server.cfg)');
    return;
  }
  const description = await adapterReady();
  say(`${description.framework} ${description.version}, accounts: ${description.accounts.join(', ')}`);
  await nextTick();
  const journal = openKvpJournal({ store: kvp, class: description.class ?? 'durable' });
  await settleLeftOvers(journal);
  running = await connect(description, journal, { url, token });
};

if (resourceName() === NAME) {
  offerExports({ resources, bridge: () => running });
  start().catch((error: unknown) => say(`could not start: ${String(error)}`));
} else {
  // Exports, rights and stored values go by the name of the folder.
  say(
    `the folder is called ${resourceName()}: rename it to causeway and write "ensure causeway". Nothing was started.`,
  );
}
