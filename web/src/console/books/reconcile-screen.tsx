import { isPermitted } from '@raha/contract/admin/roles.ts';
import { useState } from 'react';
import { dateTime, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Lead } from '../lead.tsx';
import { Link } from '../link.tsx';
import { useAddress } from '../path.ts';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useAnswer } from '../use-answer.ts';
import { DifferencesPart } from './differences.tsx';
import { ImportFile } from './import-file.tsx';
import { MonthsPart } from './months.tsx';
import type { PartProps } from './part-props.ts';
import { GatewayTable, PayoutTable } from './tables.tsx';

const parts = {
  banks: { path: '/admin/reconcile', name: m.console_reconcile_banks },
  differences: { path: '/admin/reconcile/differences', name: m.console_reconcile_differences },
  months: { path: '/admin/reconcile/months', name: m.console_reconcile_months },
} as const;
type Part = keyof typeof parts;

/** The banks’ settlement files against our payments, what in them differs, and the months of the books. */
export function ReconcileScreen({ self }: ScreenProps) {
  const { path } = useAddress();
  const part = (Object.keys(parts) as Part[]).find((name) => parts[name].path === path) ?? 'banks';
  const props = { tabs: <Tabs current={part} />, maySettle: isPermitted(self.role, 'payments.settle') };
  if (part === 'differences') return <DifferencesPart {...props} />;
  if (part === 'months') return <MonthsPart {...props} />;
  return <Banks {...props} />;
}

function Tabs({ current }: { current: Part }) {
  return (
    <nav aria-label={m.console_reconcile()} className="c-report-tabs">
      {(Object.keys(parts) as Part[]).map((part) => (
        <Link key={part} to={parts[part].path} className="c-link" isCurrent={part === current}>
          {parts[part].name()}
        </Link>
      ))}
    </nav>
  );
}

function Banks({ tabs, maySettle }: PartProps) {
  const answer = useAnswer('reconciliation', async () => (await api.getReconciliation()).data);
  const { data, reload } = answer;
  const [isImporting, setImporting] = useState(false);
  const [outcome, setOutcome] = useState('');
  const isWrong = data?.gateways.some(({ difference }) => difference !== 0);
  const open = data?.gateways.reduce((sum, gateway) => sum + gateway.open, 0) ?? 0;
  return (
    <>
      <Lead
        title={data ? leadOf(open, isWrong === true) : m.console_reconcile()}
        {...(data ? { text: m.console_owed_at({ date: dateTime(data.at) }) } : {})}
      >
        {maySettle ? (
          <div className="c-buttons">
            <button type="button" className="c-button c-main" onClick={() => setImporting(true)}>
              {m.console_import()}
            </button>
          </div>
        ) : null}
      </Lead>
      {tabs}
      <Reading of={answer} outcome={outcome} />
      {data ? <GatewayTable gateways={data.gateways} /> : null}
      {data ? <PayoutTable payouts={data.payouts} /> : null}
      {isImporting ? (
        <ImportFile
          onDone={(sentence) => {
            setImporting(false);
            setOutcome(sentence);
            reload();
          }}
          onClose={() => setImporting(false)}
        />
      ) : null}
    </>
  );
}

function leadOf(open: number, isWrong: boolean): string {
  if (isWrong) return m.console_reconcile_lead_wrong();
  return open === 0 ? m.console_reconcile_lead() : m.console_reconcile_lead_open({ count: number(open) });
}
