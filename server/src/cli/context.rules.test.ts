import { expect, test } from 'vitest';
import { csv } from './context.ts';

test('S11 a name that a spreadsheet would run as a formula is text; numbers stay numbers', () => {
  expect(csv([['=HYPERLINK("http://x")', '+1', '-2', '@x', '\tx', -5, 7n, 'رها']])).toBe(
    `"'=HYPERLINK(""http://x"")",'+1,'-2,'@x,'\tx,-5,7,رها`,
  );
});
