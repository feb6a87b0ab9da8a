import { expect, test } from 'vitest';
import { edit, emptyCode, grouped, type Typed } from './hyphen-caret.ts';

/** `|` is the caret, `*` in front marks a code with hyphens of the user's own. */
function read(marked: string): Typed {
  const text = marked.replace('*', '');
  return { text: text.replace('|', ''), caret: text.indexOf('|'), own: marked.startsWith('*') };
}
function write({ text, caret, own }: Typed): string {
  return `${own ? '*' : ''}${text.slice(0, caret)}|${text.slice(caret)}`;
}

/** Key by key, as a user types. */
function type(keys: string, start: Typed = emptyCode): Typed {
  return Array.from(keys).reduce(
    (state, key) =>
      edit(state, {
        text: state.text.slice(0, state.caret) + key + state.text.slice(state.caret),
        caret: state.caret + 1,
      }),
    start,
  );
}

test.each([
  ['a', 'A|'],
  ['abcd', 'ABCD|'],
  ['abcde', 'ABCD-E|'],
  ['abcdefghi', 'ABCD-EFGH-I|'],
  ['ab cd ef', 'ABCD-EF|'],
  ['۱۲۳۴٥', '1234-5|'],
  ['کد', '|'],
  ['gift-', 'GIFT-|'],
  ['gift-2024-abcd', 'GIFT-2024-ABCD|'],
  ['ab-', '*AB-|'],
  ['ab-123456', '*AB-123456|'],
  ['abcdef-gh', '*ABCD-EF-GH|'],
  ['abcdefghijklmnopqrst', 'ABCD-EFGH-IJKL-MNOP-QRST|'],
  ['abcdefghijklmnopqrstuvwx', 'ABCDEFGHIJKLMNOPQRSTUVWX|'],
])('typing %s shows %s', (keys, shown) => expect(write(type(keys))).toBe(shown));

test.each([
  ['in the middle, everything after it moves on', 'ABCD-EF|GH', 'x', 'ABCD-EFX|G-H'],
  ['before the first hyphen', 'AB|CD-EFGH', 'x', 'ABX|C-DEFG-H'],
  ['right before a hyphen', 'ABCD|-EFGH', 'x', 'ABCD-X|EFG-H'],
  ['in a code of their own', '*AB-1|23', 'x', '*AB-1X|23'],
])('typing %s', (_, before, key, after) => expect(write(type(key, read(before)))).toBe(after));

test.each([
  ['backspace over a written hyphen', 'ABCD-|E', 'ABCD|E', 'ABC|E'],
  ['delete in front of a written hyphen', 'ABCD|-EF', 'ABCD|EF', 'ABCD|-F'],
  ['backspace at the end', 'ABCD-E|', 'ABCD-|', 'ABCD|'],
  ['backspace of an own hyphen', '*AB-|123', 'AB|123', '*AB|123'],
  ['clearing the field starts anew', '*AB-12|', '|', '|'],
  ['pasting over everything', 'ABCD-EFGH|', 'ABC-DEFGH|', '*ABC-DEFGH|'],
  ['pasting a message', '|', ' gift–2024–abcd |', 'GIFT-2024-ABCD|'],
])('%s', (_, before, after, kept) => {
  const { text, caret } = read(after);
  expect(write(edit(read(before), { text, caret }))).toBe(kept);
});

test('a code from the address is grouped', () => expect(grouped('abcd1234efgh5678')).toBe('ABCD-1234-EFGH-5678'));
