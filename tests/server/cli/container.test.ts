import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isInContainer } from '../../../server/cli/start.ts';
import { newFolder } from '../../kit/folder.ts';

/** The files of a machine. */
const machine = (files: Record<string, string>): string => {
  const root = newFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
};

describe('a container', () => {
  it.each<[string, Record<string, string>, NodeJS.ProcessEnv]>([
    ['Docker', { '.dockerenv': '' }, {}],
    ['Podman', { 'run/.containerenv': '' }, {}],
    ['LXC', {}, { container: 'lxc' }],
    ['Kubernetes', { 'proc/1/cgroup': '1:cpu:/kubepods/besteffort/pod1\n' }, {}],
  ])('is seen in %s', (_, files, environment) => {
    expect(isInContainer(environment, machine(files))).toBe(true);
  });

  it('is not seen on a machine under systemd, or without these files', () => {
    expect(isInContainer({}, machine({ 'proc/1/cgroup': '0::/init.scope\n' }))).toBe(false);
    expect(isInContainer({ container: '' }, machine({}))).toBe(false);
  });
});
