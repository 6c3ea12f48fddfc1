import { runHub } from '../server/cli/run-hub.ts';
import { stopOnSignal } from '../server/cli/signals.ts';
import { readConfig } from '../server/platform/config.ts';

/** What `causeway start` runs, and the port it got for the bench. */
const { hub, log, address } = await runHub(readConfig(process.env));
stopOnSignal(hub.stop, log);
process.send?.({ port: Number(new URL(address).port) });
