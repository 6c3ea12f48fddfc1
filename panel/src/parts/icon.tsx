/** Paths of icons on a ground of 16 × 16. */
const PATHS = {
  overview: 'M2.5 9.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 2.5h4v4h-4zM9.5 9.5h4v4h-4z',
  journal: 'M4 2.5h8a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1M5.5 5.5h5M5.5 8h5M5.5 10.5h3',
  players: 'M8 8a2.75 2.75 0 1 0 0-5.5A2.75 2.75 0 0 0 8 8M2.5 13.5c.6-2.2 2.8-3.5 5.5-3.5s4.9 1.3 5.5 3.5',
  batches: 'M8 2 14 5 8 8 2 5zM2.5 8 8 10.75 13.5 8M2.5 11 8 13.75 13.5 11',
  schedules: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11M8 5v3l2 1.5',
  shops: 'M2.5 6 3.5 2.5h9L13.5 6M3 6v7.5h10V6M2.5 6h11M6.5 13.5V9.5h3v4',
  servers: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01',
  keys: 'M5.5 13a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M7.3 8.7 13 3M10.5 5.5l2 2',
  webhooks: 'M2.5 8h8M7.5 5l3 3-3 3M13.5 3v10',
  project: 'M2.5 4.5h5M10.5 4.5h3M2.5 11.5h3M8.5 11.5h5M9 3v3M7 10v3',
  help: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12M6.3 6.3A1.75 1.75 0 1 1 8.5 8c-.4.2-.5.5-.5 1M8 11.2h.01',
  trouble: 'M8 2.5 14 13H2zM8 6.5v3M8 11.3h.01',
  person:
    'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12M8 8.5a1.9 1.9 0 1 0 0-3.8 1.9 1.9 0 0 0 0 3.8M4.5 12.5c.6-1.5 1.9-2.2 3.5-2.2s2.9.7 3.5 2.2',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  fold: 'M2.5 3h11v10h-11zM6 3v10',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9M10.3 10.3 13.5 13.5',
  down: 'M4.5 6.5 8 10l3.5-3.5',
  right: 'M6.5 4.5 10 8l-3.5 3.5',
  close: 'M4 4l8 8M12 4l-8 8',
  give: 'M8 3.5v9M3.5 8h9',
  kick: 'M9 3H3.5v10H9M7 8h6.5M11 5.5 13.5 8 11 10.5',
  undo: 'M5.5 3 2.5 6l3 3M2.5 6H10a3.5 3.5 0 0 1 0 7H6',
  copy: 'M6 6h7.5v7.5H6zM3.5 10H2.5V2.5H10v1',
} as const;
export type IconName = keyof typeof PATHS;

/** A picture beside a word, or in a button that has a name; screen readers pass over it. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);
