import { m } from '../../../text/generated/messages.js';

export function SentTo({ email }: { email: string }) {
  return (
    <p>
      {m.code_sent_to()}{' '}
      <bdi dir="ltr" className="font-semibold text-text [overflow-wrap:anywhere]">
        {email}
      </bdi>{' '}
      {m.code_sent_to_end()}
    </p>
  );
}
