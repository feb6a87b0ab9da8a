import * as z from 'zod/mini';
import type { Locale } from '../locale.ts';

/** A text in both languages of the product. */
export const inBoth = z.object({ fa: z.string(), en: z.string() });

/** What values a setting takes, for the field and for the sentence that says so. The server's schema of the setting decides. */
export const allowedValues = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('switch') }),
  z.object({
    kind: z.literal('number'),
    is_whole: z.boolean(),
    least: z.number(),
    most: z.number(),
    /** Whether `auto` may stand in place of a number. */
    or_auto: z.boolean(),
  }),
  z.object({ kind: z.literal('choice'), words: z.array(z.string()) }),
  z.object({ kind: z.literal('text'), sentence: inBoth }),
  /** On, off, or for a part of the users: `flagValue` of `flags.ts`. */
  z.object({ kind: z.literal('flag') }),
  /** A list or an object, written as JSON. */
  z.object({ kind: z.literal('json'), sentence: inBoth }),
]);
export type AllowedValues = z.output<typeof allowedValues>;

/** First strong isolate and its end: a word of the code keeps its order in a Persian sentence. */
const isolate = (word: string) => `\u2068${word}\u2069`;

/** "A whole number from 1 to 30." */
export function sentenceOfAllowed(allowed: AllowedValues, locale: Locale): string {
  const isPersian = locale === 'fa';
  switch (allowed.kind) {
    case 'switch':
      return isPersian ? 'روشن یا خاموش.' : 'On or off.';
    case 'flag': {
      const example = '{"percent": 10, "owner": "admin", "until": "2027-05-31"}';
      return isPersian
        ? `برای چند درصد کاربران، مسئولش کیست و تا چه روزی برداشته می‌شود: ${isolate(example)}`
        : `For how many per cent of users, who looks after it, and by which day it is to be gone: ${example}`;
    }
    case 'number': {
      const { is_whole: isWhole, or_auto: isOrAuto } = allowed;
      const [least, most] = [allowed.least, allowed.most].map((n) => n.toLocaleString(isPersian ? 'fa-IR' : 'en-US'));
      if (isPersian)
        return `${isWhole ? 'یک عدد صحیح' : 'یک عدد'} از ${least} تا ${most}${isOrAuto ? `، یا ${isolate('auto')}` : ''}.`;
      return `A ${isWhole ? 'whole ' : ''}number from ${least} to ${most}${isOrAuto ? ', or auto' : ''}.`;
    }
    case 'choice':
      return isPersian
        ? `یکی از این‌ها: ${allowed.words.map(isolate).join('، ')}.`
        : `One of: ${allowed.words.join(', ')}.`;
    default:
      return allowed.sentence[locale];
  }
}
