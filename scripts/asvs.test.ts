import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** docs/asvs.md: no requirement is missing or doubled, every link leads somewhere, and its figures are right. */
const file = join(import.meta.dirname, '../docs/asvs.md');
const text = readFileSync(file, 'utf8');
const chapters = text.split(/^## /m).slice(1);
const rowsOf = (chapter: string) =>
  [...chapter.matchAll(/^\| (\d+\.\d+\.\d+) \| (\*\*not met\*\*|met|not applicable) \| (.+?) \| (.*?) ?\|$/gm)].map(
    ([, number = '', status = '', words = '', where = '']) => ({
      number,
      status: status.replaceAll('*', ''),
      words,
      where,
    }),
  );
const rows = chapters.flatMap(rowsOf);

/** `1.2.1–3, 1.4.1` as single numbers. */
function expand(list: string): string[] {
  return list.split(', ').flatMap((range) => {
    const [, section = '', first = '', last = first] = /^(\d+\.\d+)\.(\d+)(?:–(\d+))?$/.exec(range) ?? [];
    return Array.from(
      { length: Number(last) - Number(first) + 1 },
      (_, index) => `${section}.${Number(first) + index}`,
    );
  });
}

describe('the table of ASVS 5.0', () => {
  test('has the 17 chapters, and 253 requirements of levels 1 and 2', () => {
    expect(chapters.map((chapter) => chapter.split(' ')[0])).toEqual(
      Array.from({ length: 17 }, (_, at) => `V${at + 1}`),
    );
    expect(rows).toHaveLength(253);
  });

  test.each(chapters.map((chapter) => [chapter.split('\n')[0] ?? '', chapter]))(
    '%s: one row for each number',
    (_, chapter) => {
      const list = /^Requirements of levels 1 and 2: (.+)\.$/m.exec(chapter)?.[1] ?? '';
      expect(rowsOf(chapter).map(({ number }) => number)).toEqual(expand(list));
      // No row that the pattern above passes over.
      expect(chapter.match(/^\| \d/gm)).toHaveLength(expand(list).length);
    },
  );

  test('what is met names a test or a file that exists', () => {
    const links = [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, path = '']) => path);
    expect(links.filter((path) => !path.startsWith('http') && !existsSync(join(dirname(file), path)))).toEqual([]);
    expect(rows.filter(({ status, where }) => status === 'met' && where === '').map(({ number }) => number)).toEqual(
      [],
    );
  });

  test('its figures are those of the rows', () => {
    const of = (status: string) => rows.filter((row) => row.status === status);
    const [, met, inapplicable, unmet] = /(\d+) met,\s(\d+) not applicable, (\d+) not met/.exec(text) ?? [];
    expect([met, inapplicable, unmet].map(Number)).toEqual(
      [of('met'), of('not applicable'), of('not met')].map((each) => each.length),
    );
    const named = /Not met, each with its reason in its row:\s([^A-Z]+)\.\s/.exec(text)?.[1]?.split(/,\s/);
    expect(named).toEqual(of('not met').map(({ number }) => number));
  });
});
