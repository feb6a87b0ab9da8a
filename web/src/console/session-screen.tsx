import { staffLimits } from '@raha/contract/admin/limits.ts';
import { now } from '../api/clock.ts';
import { dateTime, number } from '../text/format.ts';
import { m } from '../text/generated/messages.js';
import { Lead } from './lead.tsx';
import { OwnSessions } from './own-sessions.tsx';
import type { ScreenProps } from './screen-props.ts';
import { roleNames, roleTexts } from './words.ts';

/** Who is signed in, what the role may do, and until when. */
export function SessionScreen({ self }: ScreenProps) {
  const isProved = Date.parse(self.proved_until) > now();
  return (
    <>
      <Lead title={m.console_session_lead({ role: roleNames[self.role]() })} />
      <dl className="c-facts">
        <dt>{m.console_session_email()}</dt>
        <dd>
          <bdi dir="ltr">{self.email}</bdi>
        </dd>
        <dt>{m.console_session_role()}</dt>
        <dd>{roleNames[self.role]()}</dd>
        <dt>{m.console_session_may()}</dt>
        <dd>{roleTexts[self.role]()}</dd>
        <dt>{m.console_session_ends()}</dt>
        <dd>
          {dateTime(self.expires_at)}
          <small>{m.console_session_rest({ minutes: number(staffLimits.session.idleMinutes) })}</small>
        </dd>
        <dt>{m.console_session_proof()}</dt>
        <dd>
          {dateTime(self.proved_until)}
          <small>
            {isProved
              ? m.console_session_proof_text({ minutes: number(staffLimits.moneyProofMinutes) })
              : m.console_session_proof_over()}
          </small>
        </dd>
      </dl>
      <OwnSessions />
    </>
  );
}
