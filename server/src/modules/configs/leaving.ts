import { countConfigsByNode, selectLeavingCounts, selectReplacementCounts } from './tables.ts';

/** For staff: how many configs servers have, and how far leaving one is. */
export const countNodeConfigs = countConfigsByNode;
export const readLeaving = selectLeavingCounts;
export const countReplacements = selectReplacementCounts;
