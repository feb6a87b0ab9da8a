import { expect, test } from 'vitest';
import { parts } from './find-commands.ts';

test.each(parts)('commands of $nouns begin with these nouns', async ({ nouns, load }) => {
  const commands = Object.keys(await load());
  expect([...new Set(commands.map((name) => name.split(' ')[0]))].sort()).toEqual([...nouns].sort());
});
