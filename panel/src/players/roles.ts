import type { AriaAttributes, AriaRole } from 'react';

/** Part of a table that is drawn as a grid: only some of its rows are in the page, so it cannot be a `table`. */
const part =
  (role: AriaRole) =>
  (aria: AriaAttributes = {}) => ({ role, ...aria });

export const asTable = part('table');
export const asGroup = part('rowgroup');
export const asRow = part('row');
export const asHeader = part('columnheader');
export const asCell = part('cell');
