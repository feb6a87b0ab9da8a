import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, 'en');
const nouns =
  'cards|configs|days|devices|differences|entries|lines|messages|nodes|payments|people|refunds|servers|users|ways';

/** Those that are never about one, or say one by another message. */
const never = [
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

test('an English count of the console fits one as well: "Payments: 1", never "1 payments"', () => {
  const counted = new RegExp(`\\{\\w+\\} (?:gift )?(?:${nouns})\\b`);
  const found = readdirSync(folder)
    .filter((file) => file.startsWith('console'))
    .flatMap((file) => Object.entries(JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, string>))
    .filter(([, sentence]) => counted.test(sentence))
    .map(([key]) => key);
  expect(found.filter((key) => !never.includes(key)).toSorted()).toEqual([]);
});
