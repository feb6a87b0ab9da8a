import type { CardBatch } from '@raha/contract/admin/gift-cards.ts';
import { m } from '../../text/generated/messages.js';
import { LongWord } from '../long-word.tsx';

export function MadeBy({ batch: { by } }: { batch: Pick<CardBatch, 'by'> }) {
  return by === null ? m.console_audit_machine() : <LongWord word={by} />;
}
