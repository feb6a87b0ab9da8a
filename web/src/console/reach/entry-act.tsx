import type { EntryLine, NodeEntries } from '@raha/contract/admin/entries.ts';
import { useState } from 'react';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api } from '../api.ts';
import { isolated } from '../people/words.ts';

interface Props {
  readonly node: NodeEntries;
  readonly entry: EntryLine;
  onDone(sentence: string): void;
}

/** Taking an entry out of names and new files, or putting it back. */
export function EntryAct({ node, entry, onDone }: Props) {
  const [isOpen, setOpen] = useState(false);
  const isOut = entry.block !== null;
  const act = isOut ? m.console_entry_unblock() : m.console_entry_block();
  const name = entry.relay ? isolated(entry.relay.name) : m.console_entry_own_of({ node: isolated(node.name) });
  const title = m.console_entry_act({ act, name });
  const isLast = node.entries.every((other) => other === entry || !other.in_files);
  const body = (reason: string) => ({ relay: entry.relay?.id ?? null, reason });
  const params = { id: node.id };
  return (
    <>
      <button type="button" className="c-button" aria-label={title} onClick={() => setOpen(true)}>
        {act}
      </button>
      {isOpen ? (
        <ActDialog
          title={title}
          effect={
            isOut
              ? m.console_entry_unblock_effect()
              : isLast
                ? `${m.console_entry_block_effect()} ${m.console_entry_block_last()}`
                : m.console_entry_block_effect()
          }
          button={act}
          act={(reason) =>
            isOut ? api.unblockEntry({ params, body: body(reason) }) : api.blockEntry({ params, body: body(reason) })
          }
          onDone={() => {
            setOpen(false);
            onDone(isOut ? m.console_entry_unblocked() : m.console_entry_blocked());
          }}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}
