import { createBridge, memoryJournal } from '../../bridge-protocol/index.ts';
import { openWebSocket } from '../../bridge-protocol/ws.ts';

/** A process with a bridge and nothing else that would keep it alive. Prints a line when it is stopped, and one that shows that the process still runs. */
const bridge = createBridge({
  openSocket: openWebSocket({ url: process.argv[2] ?? '', token: 'cwb_x' }),
  software: { name: 'lone', version: '1' },
  journal: memoryJournal(),
  accounts: ['bank'],
  commands: {},
  onState: (state, detail) => {
    if (state !== 'stopped') return;
    process.stdout.write(`stopped: ${detail}\n`);
    setTimeout(() => process.stdout.write('still alive\n'), 50).unref();
  },
});
process.once('SIGTERM', () => void bridge.stop());
bridge.start();
