import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { PeopleFilter, UserLine } from '@raha/contract/admin/people.ts';
import { toWire } from '@raha/contract/money.ts';
import type { Executor } from '../../platform/database.ts';
import { getUsers, listPeople, listUserIdsBetween, type User } from '../accounts/users.ts';
import { queryOf } from '../bulk/find-people.ts';
import { listConfigOwnersBetween } from '../configs/list-configs.ts';
import { findUserAccounts } from '../ledger/user-accounts.ts';
import { listOwnersOfTransfer } from '../ledger/user-lines.ts';
import { findPayersByReference, listPayersBetween } from '../payments/find-payer.ts';
import { listTransferPartiesBetween } from '../wallet/transfer-money.ts';
import { type Asked, maskEmail, maskPhone, readAsked } from './rules.ts';

type FoundBy = Exclude<UserLine['found_by'], null>;

/**
 * Users by what a caller can name: a part of the address or number, an id or its beginning (of the account, a config, a
 * payment, a refund, a transfer), or a reference of a bank. Those found by an id or a reference stand first, on the first
 * page. What was typed is kept nowhere.
 */
export async function searchPeople(
  db: Executor,
  {
    text,
    before,
    ...filter
  }: PeopleFilter & { readonly text?: string | undefined; readonly before?: string | undefined },
): Promise<{ people: UserLine[]; next: string | null }> {
  const asked = readAsked(text ?? '');
  if (asked === undefined) return { people: [], next: null };
  const exact =
    asked === 'all' || before !== undefined || isFiltered(filter)
      ? new Map<string, FoundBy>()
      : await findExactly(db, asked);
  const parts = asked === 'all' ? {} : { part: asked.part, digits: asked.digits };
  const { page } = staffLimits.people;
  const rows = await listPeople(db, { ...parts, ...queryOf(filter), before }, page + 1);
  const listed = rows.slice(0, page).filter(({ id }) => !exact.has(id));
  const named = await getUsers(db, [...exact.keys()]);
  const users = [...named.values(), ...listed];
  const accounts = await findUserAccounts(
    db,
    users.map(({ id }) => id),
  );
  const people = users.map((user) => {
    const account = accounts.get(user.id);
    const balance = account ? toWire(account.walletToman + account.leaseToman) : 0;
    return describeLine(user, balance, exact.get(user.id) ?? (asked === 'all' ? null : 'part'));
  });
  return { people, next: rows.length > page ? (rows[page - 1]?.id ?? null) : null };
}

/** One who is asked for by an id or a reference is found whatever the state; a list of a state has no others. */
function isFiltered({ state, server }: PeopleFilter): boolean {
  return state !== undefined || server !== undefined;
}

/** Ids by what they were found by; few of each, because an id or a reference names one. */
async function findExactly(db: Executor, { ids, reference }: Asked): Promise<Map<string, FoundBy>> {
  const found = new Map<string, FoundBy>();
  const add = (by: FoundBy, userIds: readonly string[]) => {
    for (const id of userIds) if (!found.has(id)) found.set(id, by);
  };
  if (ids) {
    add('id', await listUserIdsBetween(db, ids, MOST));
    add('config', await listConfigOwnersBetween(db, ids, MOST));
    add('payment', await listPayersBetween(db, ids, MOST));
    add('transfer', await listTransferPartiesBetween(db, ids, MOST));
    if (ids[0] === ids[1]) add('transfer', await listOwnersOfTransfer(db, ids[0]));
  }
  if (reference) add('payment', await findPayersByReference(db, reference, MOST));
  return found;
}

const MOST = 5;

function describeLine(user: User, balance: number, found_by: UserLine['found_by']): UserLine {
  return {
    ...{ id: user.id, name: user.name, status: user.status, balance, found_by },
    ...maskedContact(user),
    joined_at: user.created_at.toISOString(),
  };
}

export function maskedContact({ email, phone }: Pick<User, 'email' | 'phone'>) {
  return { email: maskEmail(email), phone: phone === null ? null : maskPhone(phone) };
}
