import { type AlertRule, isAlertRule } from '@raha/contract/admin/alert-rules.ts';
import type { Alert } from '@raha/contract/admin/alerts.ts';
import type { Executor } from '../../platform/database.ts';
import { listMembers } from '../staff/list-members.ts';
import { type AlertRow, selectClosed, selectOpen } from './tables.ts';

const CLOSED = 50;

/** What is open, and what closed last. */
export async function listAlerts(db: Executor): Promise<{ open: Alert[]; closed: Alert[] }> {
  const members = new Map((await listMembers(db)).map(({ userId, email }) => [userId, email]));
  const describe = (row: AlertRow): Alert[] => (isAlertRule(row.rule) ? [describeRow(row, row.rule, members)] : []);
  return { open: (await selectOpen(db)).flatMap(describe), closed: (await selectClosed(db, CLOSED)).flatMap(describe) };
}

/** Open ones that nobody has silenced, those to act on at once first. */
export async function listUrgent(db: Executor, now: Date): Promise<Alert[]> {
  const rows = (await selectOpen(db)).filter(({ silenced_until: until }) => until === null || until <= now);
  if (rows.length === 0) return [];
  const members = new Map((await listMembers(db)).map(({ userId, email }) => [userId, email]));
  return rows.flatMap((row) => (isAlertRule(row.rule) ? [describeRow(row, row.rule, members)] : []));
}

function describeRow(row: AlertRow, rule: AlertRule, members: ReadonlyMap<string, string>): Alert {
  const emailOf = (id: string | null) => (id === null ? null : (members.get(id) ?? null));
  return {
    ...{ id: row.id, rule, cause: row.cause, severity: row.severity },
    figure: row.figure === null ? null : Number(row.figure),
    opened_at: row.opened_at.toISOString(),
    closed_at: row.closed_at?.toISOString() ?? null,
    acknowledged_at: row.acknowledged_at?.toISOString() ?? null,
    acknowledged_by: emailOf(row.acknowledged_by),
    silenced_until: row.silenced_until?.toISOString() ?? null,
    silenced_by: emailOf(row.silenced_by),
  };
}
