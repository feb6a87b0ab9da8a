import type { DeliveryLine } from '@raha/contract/admin/deliveries.ts';
import { useEffect, useState } from 'react';
import { dateTime, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Link } from '../link.tsx';
import { StateMark } from '../mark.tsx';
import { Problem } from '../problem.tsx';
import { useWork } from '../use-work.ts';
import { channelNames, kindNames, reasonNames, stateNames } from './words.ts';

/** The worker has sent it by then, as a rule. */
const SEEN_AFTER_MS = 3_000;

interface Props {
  readonly deliveries: readonly DeliveryLine[];
  readonly isOld: boolean;
  /** Whether each row says whose it is. */
  readonly showsUser?: boolean;
  readonly mayResend: boolean;
  reload(): void;
}

/** Mails and text messages with what became of each; what can be sent again has a button for that. */
export function DeliveryTable({ deliveries, isOld, showsUser = false, mayResend, reload }: Props) {
  const work = useWork();
  const [resent, setResent] = useState(0);
  useEffect(() => {
    if (resent === 0) return undefined;
    const timer = setTimeout(reload, SEEN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [resent, reload]);
  const resend = ({ id }: DeliveryLine) =>
    work.run(async () => {
      await api.resendDelivery({ params: { id } });
      setResent((count) => count + 1);
    });
  return (
    <>
      <p className="c-outcome" role="status">
        {resent > 0 && work.sentence === '' ? m.console_delivery_resent() : ''}
      </p>
      <div className="c-delivery-problem">
        <Problem sentence={work.sentence} />
      </div>
      <table className="c-table c-deliveries" aria-busy={isOld}>
        <thead>
          <tr>
            <th scope="col">{m.console_delivery_kind()}</th>
            {showsUser ? <th scope="col">{m.console_delivery_who()}</th> : null}
            <th scope="col">{m.console_delivery_state()}</th>
            <th scope="col">{m.console_delivery_why()}</th>
            <th scope="col">{m.console_delivery_at()}</th>
            {mayResend ? (
              <th scope="col">
                <span className="c-unseen">{m.console_delivery_act()}</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {deliveries.map((line) => (
            <tr key={line.id}>
              <td>
                {kindNames[line.kind]()} <small>{channelNames[line.channel]()}</small>
              </td>
              {showsUser ? <td>{whose(line)}</td> : null}
              <td>
                <State line={line} />
              </td>
              <td className={line.reason === null ? 'c-empty' : ''}>{whyOf(line)}</td>
              <td>
                <time dateTime={line.at}>{dateTime(line.at)}</time>
              </td>
              {mayResend ? (
                <td>
                  {line.can_resend ? (
                    <button
                      type="button"
                      className="c-link"
                      aria-label={m.console_delivery_resend_of({
                        kind: kindNames[line.kind](),
                        date: dateTime(line.at),
                      })}
                      onClick={() => void resend(line)}
                    >
                      {m.console_delivery_resend()}
                    </button>
                  ) : null}
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function whose({ user }: DeliveryLine) {
  if (user === null) return <span className="c-quiet">{m.console_delivery_nobody()}</span>;
  return (
    <Link to={`/admin/people/${user}`} className="c-link c-code">
      <bdi dir="ltr">{user.slice(-12)}</bdi>
    </Link>
  );
}

/** What was sent has no mark. */
function State({ line: { state, attempts } }: { line: DeliveryLine }) {
  const tries = attempts > 1 ? <small>{m.console_delivery_attempts({ count: number(attempts) })}</small> : null;
  if (state === 'sent')
    return (
      <span className="c-quiet">
        {stateNames.sent()} {tries}
      </span>
    );
  return (
    <span className="c-state">
      <StateMark tone={state === 'waiting' ? 'planned' : 'look'} />
      {stateNames[state]()} {tries}
    </span>
  );
}

function whyOf({ reason, code }: DeliveryLine): string {
  if (reason === null) return '–';
  const name = reasonNames[reason]();
  return code === null ? name : m.console_delivery_code({ reason: name, code: number(code) });
}
