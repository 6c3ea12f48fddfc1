import { start } from '../../server/cli/start.ts';

/** `causeway start` with other times and limits, given as JSON. Its parent is told the port. */
const address = await start(false, JSON.parse(process.argv[2] ?? '{}'));
process.send?.({ port: Number(new URL(address).port) });
