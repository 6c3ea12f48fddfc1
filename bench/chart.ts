/**
 * Draws one scenario of a bench's JSON as an SVG of bars, one for each program, the fastest first:
 * `node bench/chart.ts RESULTS.json "kick, callers 64, bridges 1" > chart.svg`.
 */
import { readFileSync } from 'node:fs';
import * as z from 'zod';

const figures = z.looseObject({ perSecond: z.number() });
const document = z.object({
  machine: z.looseObject({ date: z.string(), node: z.string(), cpu: z.string(), cores: z.number() }),
  scenarios: z.array(
    z.object({
      name: z.string(),
      ours: z.looseObject({}),
      peers: z.record(z.string(), z.looseObject({})),
    }),
  ),
});

const WIDTH = 720;
const BAR_AT = 190;
const BAR_WIDTH = 420;
const ROW = 30;
const HEAD = 64;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const text = (x: number, y: number, words: string, more = ''): string =>
  `<text x="${x}" y="${y}" ${more}>${escaped(words)}</text>`;

const [file, name = 'kick, callers 64, bridges 1'] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('chart: name a file that `npm run bench -- --json` has written\n');
  process.exit(2);
}
const { machine, scenarios } = document.parse(JSON.parse(readFileSync(file, 'utf8')));
const scenario = scenarios.find((each) => each.name === name);
if (scenario === undefined) {
  process.stderr.write(
    `chart: ${file} has no scenario ${name}; it has: ${scenarios.map((each) => each.name).join('; ')}\n`,
  );
  process.exit(2);
}

const bars = Object.entries({ causeway: scenario.ours, ...scenario.peers })
  .map(([who, measured]) => ({ who, perSecond: figures.parse(measured).perSecond }))
  .sort((one, other) => other.perSecond - one.perSecond);
const most = bars[0]?.perSecond ?? 1;
const height = HEAD + ROW * bars.length + 36;
const rows = bars.flatMap(({ who, perSecond }, n) => {
  const y = HEAD + n * ROW;
  const isOurs = who === 'causeway';
  return [
    text(BAR_AT - 10, y + 16, who, `text-anchor="end" font-weight="${isOurs ? 700 : 400}"`),
    `<rect x="${BAR_AT}" y="${y}" width="${Math.round((perSecond / most) * BAR_WIDTH)}" height="22" rx="3" fill="${isOurs ? '#0b6bcb' : '#9fb3c8'}"/>`,
    text(BAR_AT + Math.round((perSecond / most) * BAR_WIDTH) + 8, y + 16, perSecond.toLocaleString('en')),
  ];
});
const about = `${machine.date.slice(0, 10)}, Node.js ${machine.node}, ${machine.cores} cores (${machine.cpu})`;
process.stdout.write(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="14" fill="#1f2933" role="img">
<title>${escaped(`Answers in a second: ${name}`)}</title>
<rect width="${WIDTH}" height="${height}" rx="8" fill="#ffffff"/>
${text(16, 28, `Answers in a second: ${scenario.name}`, 'font-size="16" font-weight="600"')}
${text(16, 48, 'Longer is faster.', 'fill="#52606d"')}
${rows.join('\n')}
${text(16, height - 12, about, 'fill="#52606d" font-size="12"')}
</svg>
`);
