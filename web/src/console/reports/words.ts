import { type DailyReport, dailyReports, type Liability } from '@raha/contract/admin/reports.ts';
import { paymentGateways } from '@raha/contract/payment-gateways.ts';
import { m } from '../../text/generated/messages.js';
import { gatewayName } from '../payments/words.ts';

export type Report = DailyReport | 'nodes' | 'liability';
export const reports: readonly Report[] = [...dailyReports, 'nodes', 'liability'];

export const reportNames: Readonly<Record<Report, () => string>> = {
  takings: m.console_report_takings,
  usage: m.console_report_usage,
  refunds: m.console_report_refunds,
  nodes: m.console_report_nodes,
  liability: m.console_report_liability,
};

const seriesNames: Readonly<Record<string, () => string>> = {
  usage: m.console_report_by_usage,
  plan: m.console_report_by_plans,
  'plan-ended': m.console_report_by_ended_plans,
  'refund reserve': m.console_report_refund_reserved,
  'refund confirm': m.console_report_refund_confirmed,
  'refund return': m.console_report_refund_returned,
  'reversal reversal': m.console_report_reversed,
  'reversal owed': m.console_report_reversed_owed,
};

/** A gateway, a kind of revenue or a step of refunds; one that has no name here stays as the ledger calls it. */
export function seriesName(what: string): string {
  const gateway = paymentGateways.find((name) => name === what);
  return gateway ? gatewayName(gateway) : (seriesNames[what]?.() ?? what);
}

export const liabilityNames: Readonly<Record<Liability, () => string>> = {
  wallets: m.console_owed_wallets,
  remainders: m.console_owed_remainders,
  leases: m.console_owed_leases,
  refunds: m.console_owed_refunds,
  debts: m.console_owed_debts,
  gift_cards: m.console_owed_gift_cards,
  sold_cards: m.console_owed_sold_cards,
  vat: m.console_owed_vat,
  unearned_plans: m.console_owed_unearned_plans,
  plans: m.console_owed_plans,
};
