import type { PaymentRecord } from '@raha/contract/public/payments.ts';
import { ChevronDown, Search, X } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { m } from '../../../text/generated/messages.js';
import { statuses, types } from './payment-words.ts';

export interface PaymentFilter {
  readonly q?: string;
  readonly status?: PaymentRecord['status'];
  readonly type?: PaymentRecord['type'];
}
export const noFilter: PaymentFilter = {};

/** Typing waits a moment before it asks. */
const DEBOUNCE_MS = 300;

interface FiltersProps {
  filter: PaymentFilter;
  onChange(filter: PaymentFilter): void;
}

export function PaymentFilters({ filter, onChange }: FiltersProps) {
  const [text, setText] = useState('');
  const wanted = text.trim();
  // Only what came from elsewhere is written into the field: what is being typed ends in a space now and then.
  useEffect(() => setText((typed) => (typed.trim() === (filter.q ?? '') ? typed : (filter.q ?? ''))), [filter.q]);
  useEffect(() => {
    if (wanted === (filter.q ?? '')) return;
    const timer = setTimeout(() => onChange(withText(filter, wanted)), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [wanted, filter, onChange]);
  const { status, type, ...rest } = filter;
  return (
    <search className="grid gap-3 sm:grid-cols-[1fr_auto_auto_auto] sm:items-center">
      <label className="relative block">
        <span className="sr-only">{m.payments_search()}</span>
        <Search
          className="absolute start-3.5 top-1/2 -translate-y-1/2 size-5 text-text-3 pointer-events-none"
          aria-hidden
        />
        <input
          type="search"
          className="input !ps-11"
          maxLength={100}
          placeholder={m.payments_search()}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <div className="grid grid-cols-2 gap-3 sm:contents">
        <Choice
          label={m.column_status()}
          all={m.all_statuses()}
          value={status}
          options={statuses}
          onChange={(value) =>
            onChange(orNone({ ...rest, ...(type ? { type } : {}), ...(value ? { status: value } : {}) }))
          }
        />
        <Choice
          label={m.column_type()}
          all={m.all_types()}
          value={type}
          options={types}
          onChange={(value) =>
            onChange(orNone({ ...rest, ...(status ? { status } : {}), ...(value ? { type: value } : {}) }))
          }
        />
      </div>
      <button
        type="button"
        className="btn btn-ghost btn-sm max-sm:disabled:hidden"
        disabled={filter === noFilter && text === ''}
        onClick={() => {
          setText('');
          onChange(noFilter);
        }}
      >
        <X className="size-4" aria-hidden />
        {m.clear_filters()}
      </button>
    </search>
  );
}

function withText({ q: _before, ...rest }: PaymentFilter, q: string): PaymentFilter {
  return orNone(q ? { ...rest, q } : rest);
}

/** Without any filter it is the one that everybody knows as none. */
function orNone(filter: PaymentFilter): PaymentFilter {
  return Object.keys(filter).length === 0 ? noFilter : filter;
}

interface ChoiceProps<T extends string> {
  label: string;
  all: string;
  value: T | undefined;
  options: Readonly<Record<T, () => string>>;
  onChange(value: T | undefined): void;
}

function Choice<T extends string>({ label, all, value, options, onChange }: ChoiceProps<T>) {
  const id = useId();
  const names = Object.keys(options) as T[];
  return (
    <div className="relative">
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <select
        id={id}
        className="input appearance-none !pe-10 sm:min-w-40"
        value={value ?? ''}
        onChange={(event) => onChange(names.find((name) => name === event.target.value))}
      >
        <option value="">{all}</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {options[name]()}
          </option>
        ))}
      </select>
      <ChevronDown
        className="absolute end-3.5 top-1/2 -translate-y-1/2 size-4 text-text-3 pointer-events-none"
        aria-hidden
      />
    </div>
  );
}
