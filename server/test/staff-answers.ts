import { bulkItemStates } from '@raha/contract/admin/bulk.ts';
import { paymentGroups } from '@raha/contract/admin/payments.ts';
import { reachSpans } from '@raha/contract/admin/reach.ts';
import { dailyReports } from '@raha/contract/admin/reports.ts';
import { isPermitted, type StaffRole, staffRoles } from '@raha/contract/admin/roles.ts';
import { adminEndpoints } from '@raha/contract/admin/table.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { settings } from '../src/app/all-settings.ts';
import { listMonths } from '../src/modules/books/close-month.ts';
import { addMember } from '../src/modules/staff/add-member.ts';
import type { StoredValue } from './canaries.ts';
import { openStaffSession } from './staff.ts';
import { actor, type TestWorld } from './world.ts';

type Read = { readonly path: string; readonly body?: unknown };

/** What a call is asked for: once, or about everything that there is of a kind. */
const reads: Readonly<Partial<Record<keyof typeof adminEndpoints, (ids: Ids) => readonly Read[]>>> = {
  getStaffSelf: () => [{ path: '/admin/me' }],
  listStaffSessions: () => [{ path: '/admin/me/sessions' }],
  listStaff: () => [{ path: '/admin/staff' }],
  listAudit: () => [{ path: '/admin/audit?count=100' }],
  searchPeople: () => ['', 'mail.example', '0912'].map((text) => ({ path: '/admin/people/search', body: { text } })),
  countPeople: () => [{ path: '/admin/people/count?state=active' }],
  listBulks: () => [{ path: '/admin/bulks' }],
  getBulk: ({ bulks }) => bulks.map((id) => ({ path: `/admin/bulks/${id}` })),
  listBulkPeople: ({ bulks }) =>
    bulks.flatMap((id) => bulkItemStates.map((state) => ({ path: `/admin/bulks/${id}/people?state=${state}` }))),
  exportBulk: ({ bulks }) => bulks.map((id) => ({ path: `/admin/bulks/${id}/outcome.csv` })),
  getUserFacts: ({ users }) => users.map((id) => ({ path: `/admin/people/${id}` })),
  readTimeline: ({ users }) => users.map((id) => ({ path: `/admin/people/${id}/timeline` })),
  listUserDeliveries: ({ users }) => users.map((id) => ({ path: `/admin/people/${id}/deliveries` })),
  listUnsentDeliveries: () => [{ path: '/admin/deliveries' }],
  listApprovals: () => [{ path: '/admin/approvals' }],
  listProposals: () => [{ path: '/admin/proposals' }],
  listAllPayments: () => paymentGroups.map((group) => ({ path: `/admin/payments?group=${group}` })),
  exportPayments: () => paymentGroups.map((group) => ({ path: `/admin/payments.csv?group=${group}` })),
  getPaymentFacts: ({ payments }) => payments.map((id) => ({ path: `/admin/payments/${id}` })),
  listRefunds: () => [{ path: '/admin/refunds' }],
  listTokens: () => [{ path: '/admin/tokens' }],
  listStaffPlans: () => [{ path: '/admin/plans' }],
  listPrices: () => [{ path: '/admin/prices' }],
  getReconciliation: () => [{ path: '/admin/reconciliation' }],
  listDifferences: () => [{ path: '/admin/reconciliation/differences?state=all' }],
  listBookMonths: () => [{ path: '/admin/books' }],
  exportJournal: ({ months }) => months.map((month) => ({ path: `/admin/books/${month}/journal` })),
  listCardBatches: () => [{ path: '/admin/gift-cards' }],
  getCardBatch: ({ batches }) => batches.map((id) => ({ path: `/admin/gift-cards/${id}` })),
  listCardStores: () => [{ path: '/admin/gift-card-stores' }],
  listSettings: () => [{ path: '/admin/settings' }],
  readSetting: () => [...settings.keys()].map((key) => ({ path: `/admin/settings/${key}` })),
  getDailyReport: () => dailyReports.map((report) => ({ path: `/admin/reports/daily?report=${report}` })),
  exportDailyReport: () => dailyReports.map((report) => ({ path: `/admin/reports/daily.csv?report=${report}` })),
  getNodeReport: () => [{ path: '/admin/reports/nodes' }],
  exportNodeReport: () => [{ path: '/admin/reports/nodes.csv' }],
  getPlanReport: () => [{ path: '/admin/reports/plans' }],
  getLiability: () => [{ path: '/admin/reports/liability' }],
  describeCalls: () => [{ path: '/admin/openapi.json' }],
  getToday: () => [{ path: '/admin/today' }],
  listLiveNodes: () => [{ path: '/admin/nodes' }],
  listNodeFigures: () => [{ path: '/admin/nodes/figures' }],
  listNodeMargins: () => [{ path: '/admin/nodes/margins' }],
  getNodeFacts: ({ nodes }) => nodes.map((id) => ({ path: `/admin/nodes/${id}` })),
  getReachMap: () => reachSpans.map((span) => ({ path: `/admin/reach?span=${span}` })),
  getReachWay: () => reachSpans.map((span) => ({ path: `/admin/reach/197207/wireguard?span=${span}` })),
  listEntries: () => [{ path: '/admin/entries' }],
  listAlerts: () => [{ path: '/admin/alerts' }],
};

interface Ids {
  readonly users: readonly string[];
  readonly payments: readonly string[];
  readonly nodes: readonly string[];
  readonly batches: readonly string[];
  readonly bulks: readonly string[];
  readonly months: readonly string[];
}

/** Calls that read and are not asked here; there must be none but those before a sign-in is complete. */
export function readsLeftOut(): string[] {
  return Object.entries(adminEndpoints).flatMap(([name, { method, caller }]) => {
    const isAsked = name in reads || caller === 'pending' || caller === 'visitor';
    return method === 'GET' && !isAsked ? [name] : [];
  });
}

/** Every text that a member of each role is shown about everything there is: `column` names role and call. */
export async function collectStaffAnswers(world: TestWorld): Promise<StoredValue[]> {
  const idsOf = async (table: string) =>
    (await sql<{ id: string }>`SELECT id FROM ${sql.table(table)}`.execute(world.deps.db)).rows.map(({ id }) => id);
  const ids = {
    ...{ users: await idsOf('users'), payments: await idsOf('payment'), nodes: await idsOf('node') },
    batches: await idsOf('gift_card_batch'),
    bulks: await idsOf('bulk'),
    months: (await listMonths(world.deps)).map(({ month }) => month),
  };
  const shown: StoredValue[] = [];
  for (const role of staffRoles) {
    const { userId } = await addMember(world.deps, { actor, email: `${role}-reads@staff.example`, role });
    const cookie = await openStaffSession(world, userId);
    for (const name of Object.keys(reads) as (keyof typeof reads)[]) {
      for (const read of reads[name]?.(ids) ?? []) {
        const texts = await ask(world, read, cookie, isAllowed(role, name) ? 200 : 403);
        shown.push(...texts.map((text) => ({ table: role, column: name, text })));
      }
    }
  }
  return shown;
}

function isAllowed(role: StaffRole, name: keyof typeof adminEndpoints): boolean {
  const endpoint = adminEndpoints[name];
  return endpoint.caller !== 'staff' || isPermitted(role, endpoint.may);
}

async function ask({ origin }: TestWorld, { path, body }: Read, cookie: string, status: number): Promise<string[]> {
  const response = await fetch(origin + API_BASE + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { cookie, 'x-raha-console': '1', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // Somebody who left has no page.
  if (response.status !== status && response.status !== 404) throw new Error(`${path}: ${response.status} ${text}`);
  return response.headers.get('content-type')?.startsWith('application/json') ? textsOf(JSON.parse(text)) : [text];
}

/** Numbers left out: one that looks like a code of six digits is none. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
