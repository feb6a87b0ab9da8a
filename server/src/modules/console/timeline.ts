import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { TimelineEvent, TimelineKind } from '@raha/contract/admin/people.ts';
import type { Locale } from '@raha/contract/locale.ts';
import type { Executor } from '../../platform/database.ts';
import { listEntriesOfUserBefore } from '../audit/audit.ts';
import { listConfigEventsBefore } from '../configs/list-configs.ts';
import { listNotificationsBefore } from '../notifications/list-notifications.ts';
import { listSignInsBefore } from '../sessions/list-sign-ins.ts';
import { listMembers } from '../staff/list-members.ts';
import { listLinesBefore } from '../wallet/wallet-lines.ts';
import { pageOf } from './rules.ts';

interface Order {
  readonly userId: string;
  readonly before: Date;
  readonly limit: number;
  readonly locale: Locale;
}

const nothing = { amount: null, status: null, payment: null, actor: null, reason: null };

/** What each kind reads: as many as a page holds, and all others of its last instant. */
const sources: Readonly<Record<TimelineKind, (db: Executor, order: Order) => Promise<TimelineEvent[]>>> = {
  async money(db, { locale, ...order }) {
    const lines = await listLinesBefore(db, order, locale);
    return lines.map(({ id, created_at, description, type, amount, status }) => ({
      ...{ ...nothing, id, kind: 'money' as const, at: created_at, title: description, amount },
      status: status === 'completed' ? null : status,
      payment: type === 'wallet_charge' ? id : null,
    }));
  },
  async config(db, { userId, before, limit, locale }) {
    const events = await listConfigEventsBefore(db, userId, before, limit);
    return events.map(({ id, name, deleted, at }) => ({
      ...{ ...nothing, id: `${id}-${deleted ? 'deleted' : 'created'}`, kind: 'config' as const, at: at.toISOString() },
      title: titles[deleted ? 'deleted' : 'created'][locale](name),
    }));
  },
  async sign_in(db, { userId, before, limit, locale }) {
    const signIns = await listSignInsBefore(db, userId, before, limit);
    return signIns.map(({ id, device, created_at }) => ({
      ...{
        ...nothing,
        id,
        kind: 'sign_in' as const,
        at: created_at.toISOString(),
        title: titles.signedIn[locale](device),
      },
    }));
  },
  async notification(db, { locale, ...order }) {
    const notifications = await listNotificationsBefore(db, order, locale);
    return notifications.map(({ id, title, createdAt }) => ({
      ...{ ...nothing, id, kind: 'notification' as const, at: createdAt, title },
    }));
  },
  async operator(db, { userId, before, limit }) {
    const entries = await listEntriesOfUserBefore(db, userId, before, limit);
    const names = new Map((await listMembers(db)).map((member) => [member.userId, member.email]));
    return entries.map(({ number, at, action, actor_kind, actor, reason }) => ({
      ...{ ...nothing, id: `audit-${number}`, kind: 'operator' as const, at: at.toISOString(), title: action, reason },
      actor: actor_kind === 'staff' ? (names.get(actor) ?? actor) : actor,
    }));
  },
};

const titles = {
  created: { fa: (name: string) => `کانفیگ «${name}» ساخته شد`, en: (name: string) => `Config “${name}” was created` },
  deleted: { fa: (name: string) => `کانفیگ «${name}» حذف شد`, en: (name: string) => `Config “${name}” was deleted` },
  signedIn: {
    fa: (device: string) => (device === '' ? 'ورود' : `ورود با ${device}`),
    en: (device: string) => (device === '' ? 'Signed in' : `Signed in with ${device}`),
  },
};

/** What happened on an account, from the tables where it stands, newest first; of one kind, if one is asked for. */
export async function readTimeline(
  db: Executor,
  userId: string,
  {
    before,
    kinds,
    locale,
  }: { readonly before: Date; readonly kinds: readonly TimelineKind[]; readonly locale: Locale },
): Promise<{ events: TimelineEvent[]; more: boolean }> {
  const limit = staffLimits.people.timeline;
  const found: TimelineEvent[] = [];
  // One more than the page holds: then there is another one.
  for (const kind of kinds) found.push(...(await sources[kind](db, { userId, before, limit: limit + 1, locale })));
  return pageOf(found, limit);
}
