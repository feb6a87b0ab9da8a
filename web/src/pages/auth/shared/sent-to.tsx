import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';

export function SentTo({ email, digits }: { email: string; digits: number }) {
  return (
    <p>
      {m.code_sent_to({ digits: number(digits) })}{' '}
      <bdi dir="ltr" className="font-semibold text-text [overflow-wrap:anywhere]">
        {email}
      </bdi>{' '}
      {m.code_sent_to_end()}
    </p>
  );
}
