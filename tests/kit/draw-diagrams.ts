import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { DIAGRAMS, diagramFile, sourcesOf } from '../../panel/site/diagrams.ts';
import { readPages } from '../../panel/site/pages.ts';

/** Fetched for this script alone: no build and no test needs its 70 MB. */
const MERMAID = '12.3.0';
const CHROMIUM = '/usr/bin/chromium';
const root = join(import.meta.dirname, '../..');

/** Colours that stand for the site's own, which follow the light or dark scheme. */
const STAND_INS = {
  '#010101': 'var(--diagram-box, #eef4fa)',
  '#020202': 'var(--diagram-edge, #7b93ab)',
  '#030303': 'var(--diagram-line, #4a5562)',
  '#040404': 'var(--text, #1c2026)',
  '#050505': 'var(--diagram-group, #f7f9fb)',
  '#060606': 'var(--panel, #fff)',
  '#070707': 'var(--diagram-bar, #1971c2)',
};
const [box, edge, line, text, group, ground, bar] = Object.keys(STAND_INS);

const CONFIG = {
  startOnLoad: false,
  theme: 'base',
  htmlLabels: false,
  fontFamily: 'Helvetica, Arial, "DejaVu Sans", sans-serif',
  flowchart: { htmlLabels: false, useMaxWidth: false, wrappingWidth: 280 },
  sequence: { useMaxWidth: false, mirrorActors: false, actorMargin: 30, width: 120 },
  state: { useMaxWidth: false, wrappingWidth: 280 },
  xyChart: { useMaxWidth: false, width: 800, height: 360 },
  themeVariables: {
    ...{ primaryColor: box, mainBkg: box, secondaryColor: box, tertiaryColor: group, background: ground },
    ...{ primaryBorderColor: edge, secondaryBorderColor: edge, tertiaryBorderColor: edge, nodeBorder: edge },
    ...{ primaryTextColor: text, secondaryTextColor: text, tertiaryTextColor: text, textColor: text, titleColor: text },
    ...{
      lineColor: line,
      defaultLinkColor: line,
      arrowheadColor: line,
      transitionColor: line,
      specialStateColor: line,
    },
    ...{ clusterBkg: group, clusterBorder: edge, edgeLabelBackground: ground, labelBackgroundColor: ground },
    ...{ actorBkg: box, actorBorder: edge, actorTextColor: text, actorLineColor: edge, signalColor: line },
    ...{ signalTextColor: text, labelColor: text, stateBkg: box, stateLabelColor: text, transitionLabelColor: text },
    ...{ innerEndBackground: line, stateBorder: edge },
    ...{ noteBkgColor: group, noteBorderColor: edge, noteTextColor: text },
    xyChart: {
      ...{ backgroundColor: ground, titleColor: text, plotColorPalette: bar },
      ...{ xAxisLabelColor: text, xAxisTitleColor: text, xAxisTickColor: edge, xAxisLineColor: edge },
      ...{ yAxisLabelColor: text, yAxisTitleColor: text, yAxisTickColor: edge, yAxisLineColor: edge },
    },
  },
};

/** The colours of the site by the computed value of their stand-ins. */
const colours = Object.fromEntries(
  Object.entries(STAND_INS).map(([standIn, colour]) => {
    const level = Number.parseInt(standIn.slice(1, 3), 16);
    return [`rgb(${level}, ${level}, ${level})`, colour];
  }),
);

/** The path of mermaid's bundle for browsers. */
const fetchMermaid = async (): Promise<string> => {
  const folder = join(root, `node_modules/.cache/causeway/mermaid-${MERMAID}`);
  const bundle = join(folder, 'package/dist/mermaid.min.js');
  if (existsSync(bundle)) return bundle;
  await mkdir(folder, { recursive: true });
  await promisify(execFile)('npm', ['pack', `mermaid@${MERMAID}`, '--pack-destination', folder]);
  await promisify(execFile)('tar', ['-xzf', join(folder, `mermaid-${MERMAID}.tgz`), '-C', folder]);
  await rm(join(folder, `mermaid-${MERMAID}.tgz`));
  return bundle;
};

const openPage = async (): Promise<Page> => {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  const page = await browser.newPage();
  await page.addScriptTag({ path: await fetchMermaid() });
  await page.addScriptTag({ path: join(import.meta.dirname, 'draw-diagrams.js') });
  return page;
};

const draw = (page: Page, source: string): Promise<string> => {
  const id = `d${basename(diagramFile(source), '.svg')}`;
  return page.evaluate<string>(`draw(${JSON.stringify({ id, source, config: CONFIG, colours })})`);
};

/** Draws the diagrams that have no file yet, or all with `--all`, and deletes files without a diagram. */
const drawDiagrams = async (): Promise<void> => {
  const isAll = process.argv.includes('--all');
  const sources = new Map(
    readPages(root)
      .flatMap(({ markdown }) => sourcesOf(markdown))
      .map((source) => [diagramFile(source), source]),
  );
  await mkdir(join(root, DIAGRAMS), { recursive: true });
  const old = readdirSync(join(root, DIAGRAMS)).map((name) => `${DIAGRAMS}/${name}`);
  for (const file of old.filter((each) => !sources.has(each))) await rm(join(root, file));
  const missing = [...sources].filter(([file]) => isAll || !existsSync(join(root, file)));
  if (missing.length === 0) return;
  const page = await openPage();
  for (const [file, source] of missing) await writeFile(join(root, file), `${await draw(page, source)}\n`);
  await page.context().browser()?.close();
};

await drawDiagrams();
