import { apiBase } from 'virtual:endpoints';
import type { StatementDay } from '@raha/contract/public/statement.ts';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, Download } from 'lucide-react';
import { useState } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { FailureCard } from '../../../components/failure-card.tsx';
import { PagesNav } from '../../../components/pages-nav.tsx';
import { bytes, number, shortDay, signedNumber } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.ts';
import { fetchFile } from '../shared/save-file.ts';
import { DayDetails } from './statement-day.tsx';
import { statementQuery } from './statement-queries.ts';
import { TransactionsSkeleton } from './transactions.tsx';

const periods = ['30d', '90d', 'all'] as const;
type Period = (typeof periods)[number];

/** The wallet by day: what was used where, at which price, and which line says so. */
export default function Statement() {
  const [period, setPeriod] = useState<Period>('30d');
  const [page, setPage] = useState(1);
  const [saving, setSaving] = useState(false);
  const statement = useQuery(statementQuery(period, page));
  if (statement.isError && !statement.data) {
    return (
      <FailureCard
        title={m.statement_failed()}
        error={statement.error}
        busy={statement.isFetching}
        onRetry={() => void statement.refetch()}
      />
    );
  }
  const save = async () => {
    setSaving(true);
    try {
      const address = `${apiBase}/user/wallet/statement.csv?period=${period}`;
      await fetchFile(`raha-statement-${period}.csv`, address, 'text/csv');
      toast(m.statement_exported());
    } catch (error) {
      toast(errorSentence(error), 'problem');
    } finally {
      setSaving(false);
    }
  };
  return (
    <section aria-labelledby="statement" aria-busy={statement.isPlaceholderData} className="panel p-4 sm:p-6">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="flex-1 min-w-60">
          <h2 id="statement" className="text-base font-bold">
            {m.statement()}
          </h2>
          <p className="text-sm text-text-2">{m.statement_text()}</p>
        </div>
        <PeriodChoice
          value={period}
          onChange={(next) => {
            setPeriod(next);
            setPage(1);
          }}
        />
        <Button className="btn btn-ghost btn-sm" busy={saving} onClick={() => void save()}>
          <Download className="size-4" aria-hidden />
          {m.statement_export()}
        </Button>
      </div>
      {statement.data ? <Days days={statement.data.days} /> : <TransactionsSkeleton />}
      {statement.data && <PagesNav {...statement.data.pagination} onPage={setPage} />}
    </section>
  );
}

function PeriodChoice({ value, onChange }: { value: Period; onChange(period: Period): void }) {
  return (
    <fieldset className="inline-flex rounded-md bg-sunken dark:bg-surface-2 p-1 gap-1">
      <legend className="sr-only">{m.statement_period()}</legend>
      {periods.map((period) => (
        <label
          key={period}
          className="flex items-center min-h-9 px-3 rounded-sm text-sm text-text-2 cursor-pointer has-checked:bg-surface has-checked:text-text has-checked:font-bold has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name="statement-period"
            className="sr-only"
            checked={period === value}
            onChange={() => onChange(period)}
          />
          {period === 'all' ? m.statement_all() : m.statement_days({ days: number(Number.parseInt(period, 10)) })}
        </label>
      ))}
    </fieldset>
  );
}

function Days({ days }: { days: readonly StatementDay[] }) {
  if (days.length === 0) return <p className="py-10 text-center text-text-2">{m.statement_empty()}</p>;
  return (
    <ul className="mt-3">
      {days.map((day) => (
        <li key={day.day} className="border-t border-line first:border-t-0">
          <Day day={day} />
        </li>
      ))}
    </ul>
  );
}

/** What a day holds is put on the page when it is opened. */
function Day({ day }: { day: StatementDay }) {
  const [open, setOpen] = useState(false);
  const out = day.usage + day.withdrawals;
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={`day-${day.day}`}
        onClick={() => setOpen(!open)}
        className="w-full min-h-14 py-2.5 flex flex-wrap items-center gap-x-4 text-start text-sm rounded-sm"
      >
        <ChevronDown
          className={`size-4 shrink-0 text-text-3 transition-transform ${open ? 'rotate-180' : ''}`}
          aria-hidden
        />
        <time dateTime={day.day} className="font-bold">
          {shortDay(day.day)}
        </time>
        <span className="text-text-3 flex-1">
          {day.bytes > 0 ? m.statement_used({ bytes: bytes(day.bytes) }) : m.statement_unused()}
        </span>
        <span className="flex flex-wrap gap-x-4 font-bold">
          {day.deposits > 0 && <Sum amount={day.deposits} />}
          {out > 0 && <Sum amount={-out} />}
        </span>
      </button>
      <div id={`day-${day.day}`} hidden={!open}>
        {open && <DayDetails day={day} />}
      </div>
    </>
  );
}

function Sum({ amount }: { amount: number }) {
  return (
    <span className={amount < 0 ? 'text-danger' : 'text-success'}>
      <span className="sr-only">{amount < 0 ? m.statement_out() : m.statement_in()} </span>
      <bdi>{signedNumber(amount)}</bdi> <span className="text-xs font-medium">{m.toman_unit()}</span>
    </span>
  );
}
