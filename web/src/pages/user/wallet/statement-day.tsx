import type { StatementDay } from '@raha/contract/public/statement.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FailureCard } from '../../../components/failure-card.tsx';
import { PagesNav } from '../../../components/pages-nav.tsx';
import { bytes, dateTime, signedNumber, toman } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { ledgerQuery } from './statement-queries.ts';
import { TransactionLines } from './transaction-views.tsx';

/** One day: config → bytes → price → cost, then what else moved, then the lines of the ledger for those who ask. */
export function DayDetails({ day }: { day: StatementDay }) {
  const [ledger, setLedger] = useState(false);
  return (
    <div className="pb-5 ps-1 sm:ps-8 grid gap-4">
      {day.configs.length > 0 && <Usage day={day} />}
      {day.movements.length > 0 && (
        <div>
          <h3 className="text-sm font-bold">{m.statement_other()}</h3>
          <TransactionLines lines={day.movements} />
        </div>
      )}
      {ledger ? (
        <Ledger day={day.day} />
      ) : (
        <button type="button" className="btn btn-ghost btn-sm justify-self-start" onClick={() => setLedger(true)}>
          {m.ledger_show()}
        </button>
      )}
    </div>
  );
}

type Config = StatementDay['configs'][number];

function Usage({ day }: { day: StatementDay }) {
  return (
    <table className="w-full text-sm">
      <thead className="max-sm:sr-only">
        <tr className="text-xs text-text-3">
          <th scope="col" className="font-medium text-start py-1.5">
            {m.statement_config()}
          </th>
          <th scope="col" className="font-medium text-start py-1.5 px-3">
            {m.statement_bytes()}
          </th>
          <th scope="col" className="font-medium text-start py-1.5 px-3">
            {m.statement_price()}
          </th>
          <th scope="col" className="font-medium text-end py-1.5">
            {m.statement_amount()}
          </th>
        </tr>
      </thead>
      <tbody>
        {day.configs.flatMap((config) =>
          config.parts.map((part, index) => (
            <tr
              key={`${config.config_id} ${String(index)}`}
              className="border-t border-line max-sm:grid max-sm:grid-cols-[1fr_auto] max-sm:gap-x-4 max-sm:py-2"
            >
              <td className="py-2 max-sm:py-0 [overflow-wrap:anywhere]">
                <bdi className="font-medium">{config.name}</bdi>
                {config.family && (
                  <span className="block text-xs text-text-2">{m.family_for({ guest: config.family })}</span>
                )}
                {config.transaction_id && <LineNumber id={config.transaction_id} />}
              </td>
              <td className="num py-2 px-3 max-sm:p-0 max-sm:text-end whitespace-nowrap">{bytes(part.bytes)}</td>
              <td className="num py-2 px-3 max-sm:p-0 text-text-2 whitespace-nowrap">{priceOf(part)}</td>
              <td className="num py-2 max-sm:py-0 text-end font-bold whitespace-nowrap">{toman(part.amount)}</td>
            </tr>
          )),
        )}
      </tbody>
    </table>
  );
}

function LineNumber({ id }: { id: string }) {
  return (
    <span className="block text-xs text-text-3">
      {m.statement_line()}{' '}
      <bdi dir="ltr" className="font-code" title={id}>
        …{id.slice(-8)}
      </bdi>
    </span>
  );
}

function priceOf(part: Config['parts'][number]): string {
  if (part.covered_by === 'plan') return m.statement_by_plan();
  if (part.covered_by === 'trial') return m.statement_by_trial();
  return part.price_per_gb === null ? m.statement_mixed() : toman(Math.round(part.price_per_gb * 100) / 100);
}

function Ledger({ day }: { day: string }) {
  const [page, setPage] = useState(1);
  const ledger = useQuery(ledgerQuery(day, page));
  if (ledger.isError && !ledger.data) {
    return (
      <FailureCard
        title={m.ledger_failed()}
        error={ledger.error}
        busy={ledger.isFetching}
        onRetry={() => void ledger.refetch()}
      />
    );
  }
  if (!ledger.data) return <div className="skeleton h-24" role="status" aria-label={m.loading()} />;
  const { lines, sum, pagination } = ledger.data;
  return (
    <div aria-busy={ledger.isPlaceholderData}>
      <h3 className="text-sm font-bold">{m.ledger_show()}</h3>
      <p className="text-xs text-text-3">
        {lines.length === 0 ? m.ledger_empty() : m.ledger_text({ amount: m.toman({ amount: signedNumber(sum) }) })}
      </p>
      <ul className="mt-1 divide-y divide-line">
        {lines.map((line) => (
          <li key={line.id} className="py-2 flex flex-wrap items-baseline justify-between gap-x-4 text-sm">
            <span>
              {line.description}{' '}
              <bdi dir="ltr" className="font-code text-xs text-text-3" title={line.id}>
                …{line.id.slice(-8)}
              </bdi>
              <time dateTime={line.created_at} className="block text-xs text-text-3">
                {dateTime(line.created_at)}
              </time>
            </span>
            <span className={`font-bold ${line.amount < 0 ? 'text-danger' : 'text-success'}`}>
              <bdi>{signedNumber(line.amount)}</bdi> <span className="text-xs font-medium">{m.toman_unit()}</span>
            </span>
          </li>
        ))}
      </ul>
      <PagesNav {...pagination} onPage={setPage} />
    </div>
  );
}
