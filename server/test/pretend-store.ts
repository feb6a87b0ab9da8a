import { randomUUID } from 'node:crypto';
import { API_BASE } from '@raha/contract/public/table.ts';

/** Somebody who is no store says that a card was bought. */
export async function pretendToBeStore(origin: string): Promise<void> {
  await fetch(`${origin}${API_BASE}/giftcards/webhooks/card2gift`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'order.paid', data: { ref: randomUUID(), order_id: '1', gift_code: 'none' } }),
  });
}
