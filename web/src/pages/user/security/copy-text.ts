import { m } from '../../../text/generated/messages.js';
import { toast } from '../../../ui/toast.ts';

/** Copies a text and says whether that worked. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(m.factors_copied());
  } catch {
    toast(m.factors_copy_failed(), 'problem');
  }
}
