import { ApiError } from '@raha/contract/client.ts';
import type { PaymentRecord } from '@raha/contract/public/payments.ts';
import { sessionFetch } from '../../../api/session-fetch.ts';

/** Fetches the receipt with the session and hands it over as a file. */
export async function saveReceipt(payment: PaymentRecord): Promise<void> {
  const response = await sessionFetch(payment.receipt_url as string, { headers: { accept: 'application/pdf' } }).catch(
    () => undefined,
  );
  if (!response) throw new ApiError(0, 'network', 'network');
  if (!response.ok) {
    const refusal = (await response.json().catch(() => ({}))) as { message?: string };
    throw new ApiError(response.status, 'unknown', refusal.message ?? 'unknown');
  }
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = `raha-receipt-${payment.id.slice(-12)}.pdf`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
