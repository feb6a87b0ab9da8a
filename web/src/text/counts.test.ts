import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, 'en');
const nouns =
  'cards|codes|configs|days|devices|differences|entries|hours|lines|messages|nodes|payments|people|refunds|servers|steps|users|ways';

/** Those that are never about one, or say one by another message. */
const never = [
  'console_staff_add_text',
  'family_ready_text',
  'first_left',
  'history_text',
  'plan_days',
  'plan_next_begins',
  'profile_completed',
  'reach_answers',
  'refund_arrival',
  'register_offer',
  'short_way_days',
  'statement_days',
  'trial_note',
  'console_approval_cards',
  'console_bulk_credit_of',
  'console_bulk_of',
  'console_bulk_people',
  'console_bulk_undo_title',
  'console_deliveries_lead_more',
  'console_pay_days',
  'console_plan_days',
  'console_plan_devices',
  'console_reach_answers',
  'console_reach_of_users',
  'console_stores',
  'console_token_for_days',
  'console_trace_several',
  'console_user_cut_some',
];

test('an English count fits one as well: "Payments: 1", never "1 payments"', () => {
  const counted = new RegExp(`\\{\\w+\\} (?:free |gift |unused |working )?(?:${nouns})\\b`);
  const found = readdirSync(folder)
    .flatMap((file) => Object.entries(JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, string>))
    .filter(([, sentence]) => counted.test(sentence))
    .map(([key]) => key);
  expect(found.filter((key) => !never.includes(key)).toSorted()).toEqual([]);
});
