import type { AuditEntry } from '@raha/contract/admin/audit.ts';
import { type AuditScope, auditScopes } from '@raha/contract/admin/roles.ts';
import { dateTime, number } from '../text/format.ts';
import { m } from '../text/generated/messages.js';
import { actName } from './acts.ts';
import { api } from './api.ts';
import { AuditFilters, type Filters, readFilters, writeFilters } from './audit-filters.tsx';
import { Lead } from './lead.tsx';
import { LongWord } from './long-word.tsx';
import { PageButtons } from './page-buttons.tsx';
import { goTo, useAddress } from './path.ts';
import { Reading } from './reading.tsx';
import type { ScreenProps } from './screen-props.ts';
import { useAnswer } from './use-answer.ts';

/** What operators did, page by page; the address holds the page and the filters. */
export function AuditScreen({ self }: ScreenProps) {
  const { query } = useAddress();
  const filters = readFilters(query);
  const before = Number(query.get('before')) || undefined;
  const answer = useAnswer(query.toString(), async () => {
    return (await api.listAudit({ query: { ...filters, ...(before ? { before } : {}) } })).data;
  });
  const { data, isLoading } = answer;
  const show = (next: Filters, from?: number) => goTo(`/admin/audit${writeFilters(next, from)}`);
  const oldest = data?.entries.at(-1)?.number;
  const scope = scopeTexts[auditScopes[self.role]];
  return (
    <>
      <Lead title={data ? leadOf(data, query.size > 0) : m.console_audit()} {...(scope ? { text: scope() } : {})} />
      <AuditFilters key={writeFilters(filters)} filters={filters} onApply={(next) => show(next)} />
      <Reading of={answer} />
      {data && data.entries.length > 0 ? (
        <EntryTable entries={data.entries} isOld={isLoading} onFilter={(next) => show({ ...filters, ...next })} />
      ) : null}
      <PageButtons
        onNewest={before ? () => show(filters) : undefined}
        onOlder={data?.more ? () => show(filters, oldest) : undefined}
      />
    </>
  );
}

const scopeTexts: Readonly<Record<AuditScope, (() => string) | undefined>> = {
  all: undefined,
  without_staff: m.console_audit_scope_without_staff,
  money: m.console_audit_scope_money,
  own: m.console_audit_scope_own,
};

function leadOf(
  { entries, more }: { readonly entries: readonly AuditEntry[]; readonly more: boolean },
  isFiltered: boolean,
): string {
  if (entries.length === 0) return isFiltered ? m.console_audit_none() : m.console_audit_empty();
  const count = number(entries.length);
  return more ? m.console_audit_lead_more({ count }) : m.console_audit_lead({ count });
}

interface TableProps {
  readonly entries: readonly AuditEntry[];
  readonly isOld: boolean;
  onFilter(filters: Filters): void;
}

function EntryTable({ entries, isOld, onFilter }: TableProps) {
  return (
    <table className="c-table c-audit" aria-busy={isOld}>
      <thead>
        <tr>
          <th scope="col">{m.console_audit_when()}</th>
          <th scope="col">{m.console_audit_who()}</th>
          <th scope="col">{m.console_audit_act()}</th>
          <th scope="col">{m.console_audit_target()}</th>
          <th scope="col">{m.console_audit_what()}</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.number}>
            <td>
              <time dateTime={entry.at}>{dateTime(entry.at)}</time>
            </td>
            <td>
              <button
                type="button"
                className="c-link"
                onClick={() => onFilter({ actor: entry.actor_email ?? entry.actor })}
              >
                <LongWord word={entry.actor_email ?? entry.actor} />
              </button>
              {entry.actor_kind === 'command-line' ? <small>{m.console_audit_machine()}</small> : null}
            </td>
            <td>
              {actName(entry.action)}
              <button type="button" className="c-link c-code" onClick={() => onFilter({ action: entry.action })}>
                <LongWord word={entry.action} />
              </button>
            </td>
            <td>
              {entry.target_id === null ? null : (
                <button
                  type="button"
                  className="c-link c-code"
                  onClick={() => onFilter({ target: entry.target_email ?? entry.target_id ?? '' })}
                >
                  <LongWord word={entry.target_email ?? `${entry.target_kind} ${entry.target_id}`} />
                </button>
              )}
            </td>
            <td>
              <What entry={entry} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The values before and after, facts of the act, its reason, and the name given with it. */
function What({ entry: { changed, details, reason, operator } }: { entry: AuditEntry }) {
  const facts = Object.entries(details).filter(([, value]) => value !== null);
  return (
    <>
      {Object.entries(changed).map(([field, [before, after]]) => (
        <span key={field} className="c-change">
          {m.console_audit_change({ field: isolated(field), before: wordOf(before), after: wordOf(after) })}
        </span>
      ))}
      {facts.length > 0 ? (
        <span className="c-code">
          <bdi dir="ltr">{facts.map(([field, value]) => `${field}: ${String(value)}`).join(', ')}</bdi>
        </span>
      ) : null}
      {reason ? <q>{reason}</q> : null}
      {operator ? <small>{operator}</small> : null}
    </>
  );
}

function wordOf(value: unknown): string {
  return value === null ? m.console_audit_empty_value() : isolated(String(value));
}

/** A word of the code in a sentence of either direction. */
function isolated(word: string): string {
  return `\u2068${word}\u2069`;
}
