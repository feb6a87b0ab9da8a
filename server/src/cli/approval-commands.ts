import { staffLimits } from '@raha/contract/admin/limits.ts';
import { getUsers } from '../modules/accounts/users.ts';
import { performers } from '../modules/console/perform-approved.ts';
import { type Approval, approveAct, declineAct, isOpen, listApprovals } from '../modules/staff/approvals.ts';
import { actor, type Commands, type Context, idOf, type Result, text } from './context.ts';
import { inWords } from './staff-commands.ts';

/** What members proposed in the console. The machine decides without a second member and without the wait of one who is alone. */
export const approvalCommands: Commands = {
  'approvals list': { usage: '', run: list },
  'approvals confirm': { usage: '--id <proposal>', flags: ['id'], run: confirm },
  'approvals decline': { usage: '--id <proposal> --reason <why>', flags: ['id', 'reason'], run: decline },
};

async function list({ db, clock }: Context): Promise<Result> {
  const now = clock.now();
  const approvals = await listApprovals(db, now, staffLimits.proposals.most);
  const users = await getUsers(db, [...new Set(approvals.map(({ proposed_by }) => proposed_by))]);
  const head = ['id', 'act', 'state', 'proposed', 'by', 'until', 'what', 'reason'];
  const rows = approvals.map((row) => [
    ...[row.id, row.act, stateOf(row, now), row.proposed_at.toISOString()],
    users.get(row.proposed_by)?.email ?? row.proposed_by,
    ...[row.expires_at.toISOString(), JSON.stringify(row.payload), row.reason],
  ]);
  return {
    data: { approvals },
    lines: rows.length > 0 ? [head, ...rows].map((cells) => cells.join('\t')) : ['Nothing was proposed.'],
    table: { head, rows },
  };
}

function stateOf(row: Approval, now: Date): string {
  return row.state === 'open' && !isOpen(row, now) ? 'expired' : row.state;
}

async function confirm(context: Context): Promise<Result> {
  const id = idOf(context.flags);
  await inWords(() => approveAct(context, { actor, id }, performers(context)));
  return { data: { id }, lines: [`${id} is done, as it was proposed.`] };
}

async function decline(context: Context): Promise<Result> {
  const id = idOf(context.flags);
  await inWords(() => declineAct(context, { actor, id, reason: text(context.flags, 'reason') }));
  return { data: { id }, lines: [`${id} is declined; nothing was done.`] };
}
