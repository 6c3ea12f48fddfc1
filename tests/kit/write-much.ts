import { openDatabase } from '../../db/open.ts';
import { createStore } from '../../db/store.ts';

/** A process that writes a lot, searches, closes the database, and has nothing else to do. */
const [file = ''] = process.argv.slice(2);
const database = await openDatabase({ url: `file:${file}` });
await database.migrate();
const store = createStore(database);
const at = Date.now();
const keys = Array.from({ length: 4_000 }, (_, n) => ({ id: `key_${n}`, at }));
await Promise.all(keys.map((key) => store.apiKeys.touch([key])));
await store.players.list({ projectId: 'p', search: 'nobody', limit: 1 });
await database.close();
process.stdout.write('closed');
