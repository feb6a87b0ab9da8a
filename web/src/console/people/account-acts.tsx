import type { UserFacts } from '@raha/contract/admin/people.ts';
import { isPermitted, type StaffRole } from '@raha/contract/admin/roles.ts';
import { useEffect, useState } from 'react';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api, hasCode } from '../api.ts';
import { Problem } from '../problem.tsx';
import { useProof } from '../proof.tsx';
import { useWork } from '../use-work.ts';
import { once } from './money-acts.tsx';
import { shownName } from './words.ts';

type Act = 'suspend' | 'reopen';
interface Done {
  readonly act: Act;
  readonly reason: string;
  readonly entry: number;
  /** It took another one back, and is not offered to be taken back itself. */
  readonly isUndo?: boolean;
}

interface Props {
  readonly user: UserFacts;
  readonly role: StaffRole;
  /** The account is another one by now. */
  onChanged(): void;
}

/** How long the way back is offered beside what was done; afterwards the other button is the way. */
const UNDO_MS = 10_000;
const inverses = { suspend: 'reopen', reopen: 'suspend' } as const;
const names: Readonly<Record<Act, () => string>> = { suspend: m.console_bulk_suspend, reopen: m.console_bulk_reopen };

/** Suspending a user, opening the account again, and taking either back. */
export function AccountActs({ user, role, onChanged }: Props) {
  const [open, setOpen] = useState<Act>();
  const [done, setDone] = useState<Done>();
  const act = actOn(user);
  if (!isPermitted(role, 'people.suspend')) return null;
  return (
    <>
      {act ? (
        <button type="button" className="c-button" onClick={() => setOpen(act)}>
          {names[act]()}
        </button>
      ) : null}
      {done ? <Outcome key={done.entry} id={user.id} done={done} onChanged={onChanged} onUndone={setDone} /> : null}
      {open ? (
        <ActDialog
          title={`${names[open]()}: ${shownName(user)}`}
          effect={effectOf(user, open)}
          button={names[open]()}
          act={async (reason, key) => {
            const answer = await orReload(onChanged, () => send(user.id, open, { reason }, key));
            setDone({ act: open, reason, entry: answer.data.entry });
          }}
          onDone={() => {
            setOpen(undefined);
            onChanged();
          }}
          onClose={() => setOpen(undefined)}
        />
      ) : null}
    </>
  );
}

/** What can be done with the account; a closed one is its owner's to open. */
function actOn({ status, is_staff: isStaff }: UserFacts): Act | undefined {
  if (isStaff) return undefined;
  if (status === 'suspended') return 'reopen';
  return status === 'active' || status === 'incomplete' ? 'suspend' : undefined;
}

function effectOf(user: UserFacts, act: Act): string {
  const configs = number(user.configs?.length ?? 0);
  if (act === 'reopen') return m.console_account_reopen_effect({ configs });
  return m.console_account_suspend_effect({ configs, sessions: number(user.sessions) });
}

function send(id: string, act: Act, body: { readonly reason: string; readonly undoes?: number }, key: string) {
  const request = { params: { id }, body };
  return act === 'suspend' ? api.suspendUser(request, once(key)) : api.reopenUser(request, once(key));
}

/** Refused because the account is another one by now: the page reads it anew, by which one decides again. */
async function orReload<T>(onChanged: () => void, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (hasCode(error, 'account_state') || hasCode(error, 'account_changed')) onChanged();
    throw error;
  }
}

interface OutcomeProps {
  readonly id: string;
  readonly done: Done;
  onChanged(): void;
  onUndone(done: Done): void;
}

/** What was done, and for ten seconds the button that does the opposite; the sentence stays. */
function Outcome({ id, done, onChanged, onUndone }: OutcomeProps) {
  const [isOffered, setOffered] = useState(done.isUndo !== true);
  const [key] = useState(() => crypto.randomUUID());
  const work = useWork();
  const withProof = useProof();
  useEffect(() => {
    const timer = setTimeout(() => setOffered(false), UNDO_MS);
    return () => clearTimeout(timer);
  }, []);
  const undo = async () => {
    const reason = m.console_account_undo_reason({ reason: done.reason }).slice(0, 500);
    const body = { reason, undoes: done.entry };
    const act = inverses[done.act];
    let entry = 0;
    const isDone = await withProof(async () => {
      entry = (await orReload(onChanged, () => send(id, act, body, key))).data.entry;
    });
    if (!isDone) return;
    onUndone({ act, reason, entry, isUndo: true });
    onChanged();
  };
  return (
    <div className="c-undo">
      <p role="status">
        {done.act === 'suspend' ? m.console_account_suspended() : m.console_account_reopened()}
        {isOffered ? ` ${m.console_account_undo_hint({ seconds: number(UNDO_MS / 1000) })}` : ''}
      </p>
      {isOffered || work.isBusy ? (
        <button type="button" className="c-button" disabled={work.isBusy} onClick={() => void work.run(undo)}>
          {m.console_bulk_undo()}
        </button>
      ) : null}
      <Problem sentence={work.sentence} />
    </div>
  );
}
