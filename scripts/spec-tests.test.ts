import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** The tables that say where a specification is tested must not rot: every file and every title they name exists. */
const root = join(import.meta.dirname, '..');
const tables = ['docs/spec-1-tests.md', 'docs/spec-2-tests.md'];
/** Tests that drive the product from outside: a browser, or HTTP. */
const outside = /^(e2e\/.*\.e2e\.ts|server\/test\/.*\.test\.ts)$/;

test.each(tables)('%s: each row names a test in a browser or over HTTP, and all that it names exist', (table) => {
  const rows = readFileSync(join(root, table), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| what |'));
  const wrong = rows.flatMap((row) => {
    const named = [...row.matchAll(/\[([^\]]+\.ts)\]\(\.\.\/\1\) «([^»]+)»/g)].map(([, file = '', title = '']) => ({
      file,
      title,
    }));
    const missing = named
      .filter(({ file, title }) => !hasTest(file, title))
      .map(({ file, title }) => `${file}: ${title}`);
    const isOutside = named.some(({ file }) => outside.test(file));
    return [...missing, ...(isOutside ? [] : [`nothing from outside: ${row}`])];
  });
  expect(wrong).toEqual([]);
  expect(rows.length).toBeGreaterThan(100);
});

/** The title as the first argument of a test, in whatever quotes. */
function hasTest(file: string, title: string): boolean {
  const path = join(root, file);
  if (!existsSync(path)) return false;
  const text = readFileSync(path, 'utf8');
  return [`'${title.replaceAll("'", "\\'")}'`, `"${title}"`, `\`${title}\``].some(
    (quoted) => text.includes(`(${quoted}`) || text.includes(`\n    ${quoted},`),
  );
}
