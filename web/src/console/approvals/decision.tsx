import { now } from '../../api/clock.ts';
import { dateTime } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { LongWord } from '../long-word.tsx';
import { StateMark } from '../mark.tsx';

export type DecisionAct = 'approve' | 'decline' | 'withdraw';

/** What waits for a second member, or was decided. */
export interface Decidable {
  readonly state: 'open' | 'done' | 'declined' | 'withdrawn' | 'expired';
  readonly alone: boolean;
  readonly expires_at: string;
  readonly decided_by: string | null;
  readonly at_machine?: boolean;
  readonly is_own: boolean;
  readonly alone_from: string | null;
}

/** `isBegun`: its approval only begins it. */
export function DecisionState({ of, isBegun = false }: { of: Decidable; isBegun?: boolean }) {
  const { state, alone, expires_at, decided_by, at_machine: isAtMachine } = of;
  if (state === 'open')
    return (
      <span className="c-state">
        <StateMark tone="look" />
        {m.console_correction_open({ date: dateTime(expires_at) })}
      </span>
    );
  const names = {
    done: doneNames[isBegun ? 'approved' : 'done'][alone ? 'alone' : 'two'],
    declined: m.console_correction_declined,
    withdrawn: m.console_correction_withdrawn,
    expired: m.console_correction_expired,
  };
  return (
    <>
      {names[state]()}
      {decided_by === null ? null : (
        <small>
          <LongWord word={decided_by} />
        </small>
      )}
      {isAtMachine ? <small>{m.console_approval_machine()}</small> : null}
    </>
  );
}

const doneNames = {
  done: { two: m.console_correction_done, alone: m.console_correction_done_alone },
  approved: { two: m.console_correction_approved, alone: m.console_correction_approved_alone },
} as const;

interface ActsProps {
  readonly of: Decidable;
  readonly mayDecide: boolean;
  onAct(act: DecisionAct): void;
}

/** The own one is withdrawn, and approved only by a member who is alone, after the delay. */
export function DecisionActs({ of: { is_own: isOwn, alone_from: aloneFrom }, mayDecide, onAct }: ActsProps) {
  const isAlone = isOwn && aloneFrom !== null && Date.parse(aloneFrom) <= now();
  const button = (act: DecisionAct, label: string) => (
    <button type="button" className="c-link" onClick={() => onAct(act)}>
      {label}
    </button>
  );
  return (
    <div className="c-buttons">
      {mayDecide && (!isOwn || isAlone) ? button('approve', m.console_correction_approve()) : null}
      {mayDecide && !isOwn ? button('decline', m.console_correction_decline()) : null}
      {isOwn ? button('withdraw', m.console_correction_withdraw()) : null}
      {isOwn && !isAlone ? (
        <small>
          {mayDecide && aloneFrom !== null
            ? m.console_correction_alone({ date: dateTime(aloneFrom) })
            : m.console_correction_own()}
        </small>
      ) : null}
    </div>
  );
}
