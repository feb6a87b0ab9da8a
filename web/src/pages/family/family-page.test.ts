import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { protocols } from '@raha/contract/protocols.ts';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { overwriteGetLocale } from '../../text/generated/runtime.js';
import { systems } from '../user/configs/device-system.ts';
import { FamilyPage } from './family-page.tsx';

const script = readFileSync(join(import.meta.dirname, '../../family.ts'), 'utf8');

describe.each(['fa', 'en'] as const)('the page of a family link, %s', (locale) => {
  overwriteGetLocale(() => locale);
  const html = renderToStaticMarkup(createElement(FamilyPage));
  overwriteGetLocale(() => 'fa');
  const valuesOf = (attribute: string) =>
    [...html.matchAll(new RegExp(`${attribute}="([^"]+)"`, 'g'))].map(([, v]) => v);

  test('has steps for every protocol on every system', () => {
    expect(valuesOf('data-guide')).toEqual(
      protocols.flatMap((protocol) => systems.map((system) => `${protocol} ${system}`)),
    );
  });

  test('has what the script looks for, and a heading for each thing that it may have to say', () => {
    const [, names = ''] = /type Screen =([^;]+);/.exec(script) ?? [];
    const screens = [...names.matchAll(/'(\w+)'/g)].map(([, name]) => name);
    expect(valuesOf('data-screen').sort()).toEqual(screens.sort());
    expect(html.match(/<h1/g)).toHaveLength(screens.length);
    for (const [, attribute] of script.matchAll(/select\w*(?:<\w+>)?\('\[(data-[\w-]+)\]/g))
      expect(html).toContain(attribute);
    for (const slot of new Set(valuesOf('data-slot'))) expect(script).toContain(slot?.replace(/_(date|time)$/, ''));
  });

  test('has no slot left open, and no word of the trade', () => {
    expect(html).not.toMatch(/⟦|\{\w+\}|undefined|کانفیگ/);
  });
});
