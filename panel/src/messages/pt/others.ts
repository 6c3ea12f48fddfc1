import { admin } from './admin.ts';
import { jobs } from './jobs.ts';
import { orders } from './orders.ts';
import { shops } from './shops.ts';
import { watch } from './watch.ts';

/** The texts that come with the first page that needs one of them. */
export const others = { ...orders, ...watch, ...jobs, ...shops, ...admin };
