import type { Approval, ApprovalAct } from '@raha/contract/admin/approvals.ts';
import { date, dateTime, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { dollars } from '../gift-cards/words.ts';
import { isolated } from '../people/words.ts';
import { differing } from '../plans/draft.ts';
import { nameOf, stepOf, termsOf } from '../plans/words.ts';
import { priceOf } from '../prices/words.ts';

/** What is proposed, on the first screen. */
export const actNames: Readonly<Record<ApprovalAct, () => string>> = {
  cards: m.console_approval_act_cards,
  price: m.console_approval_act_price,
  plan: m.console_approval_act_plan,
};

/** What would be done, in a few words. */
export function whatOf({ act, cards, price, plan }: Approval): string {
  if (cards) {
    const amount = dollars(cards.usd_cents);
    if (cards.count === 1) return m.console_approval_card({ amount });
    return m.console_approval_cards({ count: number(cards.count), amount });
  }
  if (price)
    return m.console_approval_price({
      before: priceOf({ usd_cents_per_gb: price.before }),
      after: priceOf(price),
    });
  if (plan)
    return (plan.before ? m.console_approval_plan : m.console_approval_new_plan)({ plan: isolated(nameOf(plan)) });
  return actNames[act]();
}

/** What else belongs to it: the note and end of cards, the terms of a plan, and from when on a price holds. */
export function moreOf({ cards, price, plan }: Approval): string[] {
  if (cards) {
    const { note, expires } = cards;
    const end = expires === null ? [] : [m.console_approval_until({ date: date(expires) })];
    return [...(note === '' ? [] : [isolated(note)]), ...end];
  }
  const from = (price ?? plan)?.from;
  const moment = from ? m.console_approval_from({ date: dateTime(from) }) : m.console_approval_at_once();
  if (!plan) return [moment];
  const { before, after } = plan;
  const terms = before ? differing(before, after).map((field) => stepOf(before, after, field)) : [termsOf(after)];
  return [...terms, moment];
}

/** What it is worth. */
export function totalOf({ cards }: Approval): string {
  return cards ? dollars(cards.count * cards.usd_cents) : '';
}

/** Where what was made of it stands; undefined: nothing was. */
export function addressOf({ state, made, price, plan }: Approval): string | undefined {
  if (made !== null) return `/admin/gift-cards/${made}`;
  if (price) return '/admin/prices';
  return plan && (plan.before || state === 'done') ? `/admin/plans/${plan.id}` : undefined;
}

/** What approving does, as it is said before. */
export function effectOf(approval: Approval): string {
  const email = isolated(approval.proposed_by);
  if (approval.cards) return m.console_approval_text({ cards: whatOf(approval), total: totalOf(approval), email });
  return m.console_approval_do({
    what: [whatOf(approval), ...moreOf(approval)].join(m.console_approval_then()),
    email,
  });
}
