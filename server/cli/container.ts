import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MARKS = ['.dockerenv', 'run/.containerenv'];
const CGROUP = /docker|kubepods|containerd|libpod|lxc/;

const cgroupOf = (root: string): string => {
  try {
    return readFileSync(join(root, 'proc/1/cgroup'), 'utf8');
  } catch {
    // Windows and macOS have none.
    return '';
  }
};

/** Whether this process runs in a container: then a log is kept of its terminal, too. Podman, LXC and nspawn set `container`. */
export const isInContainer = (environment: NodeJS.ProcessEnv, root = '/'): boolean =>
  (environment['container'] ?? '') !== '' ||
  MARKS.some((mark) => existsSync(join(root, mark))) ||
  CGROUP.test(cgroupOf(root));
