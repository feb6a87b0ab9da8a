import { defineSignal } from '../../platform/bus.ts';

export const paymentChanged = defineSignal<{
  readonly userId: string;
  readonly transactionId: string;
  readonly status: string;
}>('payment');
