import type { Service } from '@raha/contract/public/service.ts';

export type BackAgain =
  /** This payment ended no cut. */
  | { readonly kind: 'was-on' }
  /** The money is there, no server has confirmed yet. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'open'; readonly seconds: number };

/** What became of the service after a payment: by the server's word, in the server's own times. */
export function backAgain(service: Service | undefined, settledAt: string | null | undefined): BackAgain {
  if (!service || !settledAt) return { kind: 'was-on' };
  if (service.state === 'cut') return { kind: 'waiting' };
  const { restored } = service;
  const paid = Date.parse(settledAt);
  if (!restored || Date.parse(restored.stopped_at) > paid || Date.parse(restored.restored_at) < paid) {
    return { kind: 'was-on' };
  }
  if (restored.opened_at === null) return { kind: 'waiting' };
  return { kind: 'open', seconds: Math.max(0, (Date.parse(restored.opened_at) - paid) / 1000) };
}
