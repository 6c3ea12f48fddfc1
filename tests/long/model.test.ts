import { exploreAll, LONG_PAIRS } from '../model/cases.ts';
import { exploreLives, LONG_LIVE } from '../model/live/cases.ts';

exploreAll(LONG_PAIRS);
exploreLives(LONG_LIVE);
