import { cleanGiftCode } from '@raha/contract/gift-code.ts';
import { limits } from '@raha/contract/limits.ts';

/** A gift code while it is typed. */
export interface Typed {
  readonly text: string;
  readonly caret: number;
  /** True once the user has put hyphens of their own where the form would not; from then on they are theirs. */
  readonly own: boolean;
}

export const emptyCode: Typed = { text: '', caret: 0, own: false };

/** A hyphen after every four characters, as long as that fits into the longest code. */
export function grouped(code: string): string {
  const text = plain(code).replace(/(.{4})(?=.)/g, '$1-');
  return text.length <= limits.giftCard.maxLength ? text : plain(code).slice(0, limits.giftCard.maxLength);
}

/**
 * What the field shows after an edit. Hyphens are written while none was typed (specification 2, section 5), and the
 * caret stays behind the character it was behind, also when that character moved.
 */
export function edit(before: Typed, input: { text: string; caret: number }): Typed {
  const { text, caret } = deleteOverHyphen(before, input);
  const code = cleanGiftCode(text).slice(0, limits.giftCard.maxLength + 5);
  if (plain(code) === '') return emptyCode;
  const grid = grouped(code);
  const typedHyphen = cleanGiftCode(inserted(before.text, text)).includes('-');
  const isTrailing = code === `${grid}-` && plain(code).length % 4 === 0;
  const own = before.own || (typedHyphen && code !== grid && !isTrailing);
  const head = cleanGiftCode(text.slice(0, caret));
  if (own) return { text: code.slice(0, limits.giftCard.maxLength), caret: head.length, own };
  // The hyphen that comes next anyway may be typed, too; swallowing it would look like a dead key.
  const shown = typedHyphen && isTrailing && code.length < limits.giftCard.maxLength ? code : grid;
  return { text: shown, caret: caretBehind(shown, plain(head).length, caret >= text.length), own };
}

function caretBehind(text: string, characters: number, isAtEnd: boolean): number {
  if (isAtEnd) return text.length;
  let caret = 0;
  for (let seen = 0; caret < text.length && seen < characters; caret++) if (text[caret] !== '-') seen++;
  return caret;
}

/** Deleting a hyphen that the form wrote takes its neighbour along; otherwise it would come straight back. */
function deleteOverHyphen(before: Typed, after: { text: string; caret: number }): { text: string; caret: number } {
  const { caret, text } = after;
  const onlyHyphen = `${text.slice(0, caret)}-${text.slice(caret)}` === before.text;
  if (before.own || !onlyHyphen || grouped(text) !== before.text) return after;
  if (before.caret > caret) return { text: text.slice(0, caret - 1) + text.slice(caret), caret: caret - 1 };
  return { text: text.slice(0, caret) + text.slice(caret + 1), caret };
}

/** What an edit put in: all that is not the common beginning and end. */
function inserted(before: string, after: string): string {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return after.slice(start, after.length - end);
}

function plain(text: string): string {
  return cleanGiftCode(text).replaceAll('-', '');
}
