import { join } from 'node:path';
import { json, OUT, ROOT, readJson, write } from './files.ts';
import { run } from './run.ts';

type Sbom = { serialNumber: string; metadata: { timestamp: string; component: { name: string } } };

/**
 * The packages that the release is made of, as CycloneDX. Those with the scope `optional` are tools, or bundled into the
 * panel. Fields that differ between two runs over the same packages are left out.
 */
export const makeSbom = (): void => {
  const { serialNumber: _random, ...sbom } = JSON.parse(
    run('npm', ['sbom', '--silent', '--sbom-format', 'cyclonedx'], { cwd: ROOT }),
  ) as Sbom;
  const { timestamp: _now, ...metadata } = sbom.metadata;
  const { name, version } = readJson<{ name: string; version: string }>(join(ROOT, 'package.json'));
  // npm takes the name of the checkout's folder.
  const component = { ...metadata.component, name };
  write(join(OUT, `causeway-${version}.cdx.json`), json({ ...sbom, metadata: { ...metadata, component } }));
};
