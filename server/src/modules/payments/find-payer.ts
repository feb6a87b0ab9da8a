import { selectOwnersOfReference, selectPayersBetween } from './owner-tables.ts';
import { selectPayment } from './tables.ts';

/** For staff: who paid with a reference of the bank, and whose payments or refunds have an id between two. */
export const findPayersByReference = selectOwnersOfReference;
export const listPayersBetween = selectPayersBetween;
export const findPayment = selectPayment;
