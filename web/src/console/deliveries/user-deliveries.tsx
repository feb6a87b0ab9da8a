import { isPermitted, type StaffRole } from '@raha/contract/admin/roles.ts';
import { useState } from 'react';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { PageButtons } from '../page-buttons.tsx';
import { Reading } from '../reading.tsx';
import { useAnswer } from '../use-answer.ts';
import { DeliveryTable } from './delivery-table.tsx';

/** Mails and text messages to a user, newest first, page by page. */
export function UserDeliveries({ id, role }: { id: string; role: StaffRole }) {
  const [before, setBefore] = useState<string>();
  const answer = useAnswer(`${id} ${before}`, async () => {
    return (await api.listUserDeliveries({ params: { id }, query: before ? { before } : {} })).data;
  });
  const { data, isLoading, reload } = answer;
  const next = data?.next;
  return (
    <section aria-labelledby="user-deliveries">
      <h2 id="user-deliveries" className="c-head">
        {m.console_deliveries_user()}
      </h2>
      <Reading of={answer} />
      {data?.deliveries.length === 0 ? <p className="c-note">{m.console_deliveries_user_none()}</p> : null}
      {data && data.deliveries.length > 0 ? (
        <DeliveryTable
          deliveries={data.deliveries}
          isOld={isLoading}
          mayResend={isPermitted(role, 'people.resend')}
          reload={reload}
        />
      ) : null}
      <PageButtons
        onNewest={before ? () => setBefore(undefined) : undefined}
        onOlder={next ? () => setBefore(next) : undefined}
      />
    </section>
  );
}
