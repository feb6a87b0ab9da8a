import type { StoreLine, WebhookRefusal } from '@raha/contract/admin/gift-cards.ts';
import { dateTime, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Failure } from '../failure.tsx';
import { StateMark } from '../mark.tsx';
import { useAnswer } from '../use-answer.ts';

/** The stores that sell our cards, below the batches; a failure here leaves the batches as they are. */
export function Stores() {
  const { data, error, reload } = useAnswer('stores', async () => (await api.listCardStores()).data);
  if (error) return <Failure error={error} onRetry={reload} />;
  if (!data || data.stores.length === 0) return null;
  return (
    <section aria-labelledby="card-stores">
      <h2 id="card-stores" className="c-head">
        {m.console_stores({ days: number(data.days) })}
      </h2>
      <table className="c-table c-report">
        <thead>
          <tr>
            <th scope="col">{m.console_store()}</th>
            {columns.map((name) => (
              <th key={name()} scope="col" className="c-number">
                {name()}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.stores.map((store) => (
            <Store key={store.name} store={store} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Of webhooks, why one changed nothing. */
const refusalNames: Readonly<Record<WebhookRefusal, () => string>> = {
  unsigned: m.console_refused_unsigned,
  wrong_signature: m.console_refused_wrong_signature,
  too_old: m.console_refused_too_old,
  unknown_visit: m.console_refused_unknown_visit,
  unusable_code: m.console_refused_unusable_code,
  repeated: m.console_refused_repeated,
};

const columns = [m.console_store_visits, m.console_store_paid, m.console_store_redeemed] as const;

function Store({ store }: { store: StoreLine }) {
  const { name, test, without_card: missing, last_paid_at: last, refused } = store;
  return (
    <tr>
      <th scope="row">
        {name}
        {test ? <small>{m.console_store_test()}</small> : null}
        {last === null ? null : <small>{m.console_store_last({ date: dateTime(last) })}</small>}
        {missing > 0 ? (
          <span className="c-state">
            <StateMark tone="act" />
            {m.console_store_without_card({ count: number(missing) })}
          </span>
        ) : null}
        {refused.map(({ reason, count, last_at }) => (
          <small key={reason}>
            {m.console_store_refused({ why: refusalNames[reason](), count: number(count), date: dateTime(last_at) })}
          </small>
        ))}
      </th>
      {[store.visits, store.paid, store.redeemed].map((value, index) => (
        <td key={columns[index]?.()} className="c-number">
          <span className="c-figure-label" aria-hidden="true">
            {columns[index]?.()}
          </span>
          {number(value)}
        </td>
      ))}
    </tr>
  );
}
