// Kicks the players of a spreadsheet that was saved as CSV: the columns id, player, reason. `id` names the row for ever.
import { readFileSync, writeFileSync } from 'node:fs';
import { createHub } from '@causewayhub/client';

const { HUB = 'http://127.0.0.1:8080', KEY } = process.env;
const [file, outcomes = 'outcomes.csv'] = process.argv.slice(2);
if (!KEY || !file) throw new Error('KEY=cw_live_… node kick-from-spreadsheet.js players.csv [outcomes.csv]');
const hub = createHub({ url: HUB, apiKey: KEY });

/** The cells of CSV (RFC 4180). @param {string} text */
const rowsOf = (text) => {
  /** @type {string[][]} */
  const rows = [[]];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    if (quoted === undefined && plain === '' && end === '') break;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== ',') rows.push([]);
  }
  return rows.filter((row) => row.some(Boolean));
};

/** A cell that no spreadsheet takes for a formula. @param {string} text */
const cell = (text) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

const [head = [], ...rows] = rowsOf(readFileSync(file, 'utf8').replace(/^\ufeff/, ''));
const column = (/** @type {string} */ name) => {
  const index = head.findIndex((title) => title.trim().toLowerCase() === name);
  if (index === -1) throw new Error(`${file} has no column ${name}`);
  return index;
};
const [id, player, reason] = [column('id'), column('player'), column('reason')];

const lines = ['"id","player","outcome","why"'];
for (const row of rows) {
  const values = { id: row[id] ?? '', player: row[player] ?? '', reason: row[reason] ?? '' };
  // Run again, a row that was done is not done again: the player may have come back.
  const key = `sheet-kick-${values.id}`;
  const input = { serverId: 'main', target: values.player, key, ...(values.reason && { reason: values.reason }) };
  const said = await hub.kick(input).then(
    ({ happened, reason: why = '' }) => [happened, why],
    (error) => ['wrong', error.message],
  );
  console.log(values.id, values.player, ...said);
  lines.push([values.id, values.player, ...said].map(cell).join(','));
}
writeFileSync(outcomes, `${lines.join('\r\n')}\r\n`);
