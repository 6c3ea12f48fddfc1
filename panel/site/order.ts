type Part = {
  /** The folder below `docs/`, and the part's name in addresses. */
  name: string;
  title: string;
  /** Pages in reading order, by their address below the part. Pages that are not named here follow by name. */
  first: readonly string[];
};

/** The parts of the documentation in the order of the navigation. */
export const PARTS: readonly Part[] = [
  {
    name: 'guides',
    title: 'Guides',
    first: [
      'overview',
      'getting-started',
      'write-a-bot',
      'tebex',
      'fivem/install',
      'fivem/commands',
      'fivem/troubleshooting',
      'luanti',
      'write-a-bridge',
      'run-a-hub',
      'windows',
      'run-a-cluster',
    ],
  },
  {
    name: 'reference',
    title: 'Reference',
    first: [
      'api',
      'errors',
      'settings',
      'command-line',
      'limits',
      'monitoring',
      'panel',
      'packages',
      'protocol',
      'causeway-v1',
    ],
  },
  {
    name: 'explanation',
    title: 'Explanation',
    first: ['architecture', 'reliability', 'failure-windows', 'security', 'performance', 'large-servers', 'scale'],
  },
  { name: 'decisions', title: 'Decisions', first: [''] },
];

/** Pages whose address does not follow from their path. */
export const ADDRESSES: Readonly<Record<string, string>> = {
  'docs/README.md': '/docs',
  'README.md': '/docs/guides/overview',
  'bridge-protocol/README.md': '/docs/reference/causeway-v1',
  'docs/architecture.md': '/docs/explanation/architecture',
  // Each problem document's `type` points there.
  'docs/reference/errors.md': '/docs/errors',
};
