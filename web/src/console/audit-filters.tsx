import { useState } from 'react';
import { m } from '../text/generated/messages.js';
import { Field } from './field.tsx';

export interface Filters {
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
}

const names = ['actor', 'action', 'target'] as const;

export function readFilters(query: URLSearchParams): Filters {
  return Object.fromEntries(names.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])));
}

/** The part of the address after the path. */
export function writeFilters(filters: Filters, before?: number): string {
  const given = names.flatMap((name) => (filters[name]?.trim() ? [[name, filters[name]?.trim() ?? '']] : []));
  const query = new URLSearchParams([...given, ...(before ? [['before', String(before)]] : [])]).toString();
  return query === '' ? '' : `?${query}`;
}

export function AuditFilters({ filters, onApply }: { filters: Filters; onApply: (filters: Filters) => void }) {
  const [draft, setDraft] = useState(filters);
  const put = (name: keyof Filters) => (text: string) => setDraft((before) => ({ ...before, [name]: text }));
  return (
    <search aria-label={m.console_audit_filter()}>
      <form
        className="c-filters"
        onSubmit={(event) => {
          event.preventDefault();
          onApply(draft);
        }}
      >
        <Field label={m.console_audit_by_actor()} dir="ltr" value={draft.actor ?? ''} onText={put('actor')} />
        <Field label={m.console_audit_by_act()} dir="ltr" value={draft.action ?? ''} onText={put('action')} />
        <Field label={m.console_audit_by_target()} dir="ltr" value={draft.target ?? ''} onText={put('target')} />
        <div className="c-buttons">
          <button type="submit" className="c-button">
            {m.console_audit_apply()}
          </button>
          {writeFilters(filters) === '' ? null : (
            <button type="button" className="c-button" onClick={() => onApply({})}>
              {m.console_audit_clear()}
            </button>
          )}
        </div>
      </form>
    </search>
  );
}
