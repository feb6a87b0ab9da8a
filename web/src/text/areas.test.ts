import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { locales } from '@raha/contract/locale.ts';
import { describe, expect, test } from 'vitest';

interface ProjectSettings {
  'plugin.inlang.messageFormat': { pathPattern: string[] };
}

describe('the files of messages', () => {
  const keysOf = (locale: string, area: string) =>
    Object.keys(JSON.parse(readFileSync(join(import.meta.dirname, locale, area), 'utf8')) as object).filter(
      (key) => key !== '$schema',
    );
  const areas = readdirSync(join(import.meta.dirname, 'fa')).sort();

  test('each area has the same keys in every language', () => {
    for (const locale of locales) {
      expect(readdirSync(join(import.meta.dirname, locale)).sort()).toEqual(areas);
      for (const area of areas) expect([area, keysOf(locale, area)]).toEqual([area, keysOf('fa', area)]);
    }
  });

  test('no key stands in two areas', () => {
    const all = areas.flatMap((area) => keysOf('fa', area));
    expect(all.filter((key, index) => all.indexOf(key) !== index)).toEqual([]);
  });

  test('the compiler reads all of them', () => {
    const settings = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../project.inlang/settings.json'), 'utf8'),
    ) as ProjectSettings;
    expect([...settings['plugin.inlang.messageFormat'].pathPattern].sort()).toEqual(
      areas.map((area) => `./src/text/{locale}/${area}`).sort(),
    );
  });
});
