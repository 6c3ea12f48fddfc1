import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { build } from 'vite';
import { type Assets, missingHtml, pageHtml } from './layout.ts';
import { renderPage } from './markdown.ts';
import { readPages } from './pages.ts';
import { searchIndex } from './search-index.ts';

const ASSETS = '/docs/assets';

/** Writes files into a folder, where the hub finds them by their addresses. */
const createWriter = (folder: string) => {
  const write = async (file: string, content: string | Uint8Array): Promise<void> => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), content);
  };
  return {
    page: (address: string, html: string) => write(`${address.slice('/docs'.length) || '/index'}.html`, html),
    /** The name contains a hash of the content. */
    asset: async (name: string, content: string | Uint8Array): Promise<string> => {
      const mark = hash('sha256', content, 'base64url').slice(0, 8);
      const hashed = `${name.slice(0, -extname(name).length)}-${mark}${extname(name)}`;
      await write(`assets/${hashed}`, content);
      return `${ASSETS}/${hashed}`;
    },
  };
};

type Writer = ReturnType<typeof createWriter>;

/** The script and the style of the pages. */
const buildClient = async (root: string, { asset }: Writer): Promise<Omit<Assets, 'index'>> => {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    root: join(root, 'panel'),
    publicDir: false,
    build: { write: false, target: 'es2022', rolldownOptions: { input: join(root, 'panel/src/site/main.ts') } },
  });
  if (!('output' in built)) throw new Error('The site has one script.');
  const contentOf = (end: string): string | Uint8Array => {
    const file = built.output.find(({ fileName }) => fileName.endsWith(end));
    if (file === undefined) throw new Error(`The build has no ${end} file.`);
    return file.type === 'chunk' ? file.code : file.source;
  };
  return { script: await asset('site.js', contentOf('.js')), style: await asset('site.css', contentOf('.css')) };
};

const PICTURE = /\.(png|svg)$/;

/** Copies the pictures below `docs/`; the result has their addresses by file. */
const copyPictures = async (root: string, { asset }: Writer): Promise<Map<string, string>> => {
  const names = await readdir(join(root, 'docs'), { recursive: true });
  const files = names.filter((name) => PICTURE.test(name) && !name.startsWith('diagrams'));
  const addresses = new Map<string, string>();
  for (const name of files) {
    const address = await asset(name.replaceAll(/[/\\]/g, '-'), await readFile(join(root, 'docs', name)));
    addresses.set(`docs/${name.replaceAll('\\', '/')}`, address);
  }
  return addresses;
};

/** Writes the page of the API reference: Swagger UI with the look of the panel. It reads what this hub says of its API. */
const writeReference = async (root: string, { asset, page }: Writer): Promise<void> => {
  const read = (name: string): Promise<Uint8Array> => readFile(join(root, name));
  const swagger = 'node_modules/swagger-ui-dist';
  const style = await asset('swagger-ui.css', await read(`${swagger}/swagger-ui.css`));
  const script = await asset('swagger-ui-bundle.js', await read(`${swagger}/swagger-ui-bundle.js`));
  const icon = await asset('favicon-32x32.png', await read(`${swagger}/favicon-32x32.png`));
  const start = await asset('reference.js', await read('panel/site/reference-start.js'));
  const looks = await Promise.all(['styles/tokens.css', 'site/reference.css'].map((name) => read(`panel/src/${name}`)));
  const look = await asset('reference.css', Buffer.concat(looks));
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Causeway API</title>
    <link rel="stylesheet" href="${style}" />
    <link rel="stylesheet" href="${look}" />
    <link rel="icon" href="${icon}" />
    <script src="${start}"></script>
  </head>
  <body>
    <nav aria-label="Causeway"><a href="/docs">Documentation</a> · <a href="/">Panel</a></nav>
    <main id="reference"></main>
    <script src="${script}"></script>
  </body>
</html>
`;
  await page('/docs/api', html);
};

/** Builds the documentation from the Markdown files below a root into a folder; compression is up to the caller. */
export const buildSite = async (root: string, folder: string): Promise<void> => {
  const writer = createWriter(folder);
  const pages = readPages(root);
  const pictures = await copyPictures(root, writer);
  const addresses = new Map(pages.map(({ file, address }) => [file, address]));
  const surroundings = { root, addresses, picture: (file: string) => pictures.get(file) };
  const rendered = new Map(pages.map((page) => [page, renderPage(page, surroundings)]));
  const client = await buildClient(root, writer);
  await writeReference(root, writer);
  const listed = [...rendered].map(([page, each]) => ({ page, rendered: each }));
  const site = { pages, assets: { ...client, index: await writer.asset('search.json', searchIndex(listed)) } };
  for (const [page, each] of rendered) await writer.page(page.address, pageHtml(site, page, each));
  await writer.page('/docs/404', missingHtml(site));
};
