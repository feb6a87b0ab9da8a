import { selectBulk, selectBulks, selectItems, selectOpenBulks, selectProposed, selectUndoing } from './tables.ts';

export type { BulkRow, ItemRow } from './tables.ts';

export const findBulk = selectBulk;
/** Newest first. */
export const listBulks = selectBulks;
/** Planned, running and paused ones, the next one first. */
export const listOpenBulks = selectOpenBulks;
/** The bulk that undid this one. */
export const findUndoing = selectUndoing;
/** What proposals are about, in no order. */
export const listProposed = selectProposed;
/** The users of a bulk, by id. */
export const listItems = selectItems;
