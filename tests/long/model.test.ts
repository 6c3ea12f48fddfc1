import { exploreAll, LONG_PAIRS } from '../model/cases.ts';

exploreAll(LONG_PAIRS);
