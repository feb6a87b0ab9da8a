import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * Reads every Persian text of the product as a proof-reader does: digits, quotes, punctuation, spaces and direction. Half-spaces
 * and bookish words are looked at in `tidy.test.ts`.
 */
const root = import.meta.dirname;
const sources = ['contract/src', 'server/src', 'node-agent/src', 'web/src'];
const PERSIAN = /[\u0622-\u06cc]/;
/** What the specifications give word for word. */
const verbatim = ['حجم فایل نباید از 2 مگابایت بیشتر باشد', 'حداقل مبلغ قابل پرداخت 10,000 تومان میباشد'];

interface Text {
  readonly where: string;
  readonly text: string;
}

const rules = {
  'digits are Persian': /[0-9\u0660-\u0669]/,
  'quotes are «» and stand close': /["“”„]|« | »/,
  'commas, semicolons and question marks are Persian': /[\u0622-\u06cc\u200c»][,;?]/,
  'no space before punctuation, one after it, none twice': /\S [،؛؟!:](?= |$)|[،؛؟](?=[\u0622-\u06cc])|\S {2}\S/,
  // Marks and embeddings (UAX 9, 2.1 to 2.3) change what follows; isolates (2.4) do not.
  'direction is set by isolates only, and each is closed':
    /[\u200e\u200f\u202a-\u202e]|^[^\u2069]*[\u2066-\u2068][^\u2069]*$/,
};

const texts = sources.flatMap((folder) => [...filesIn(join(root, folder))]).flatMap(textsOf);

test('there are texts to read', () => expect(texts.length).toBeGreaterThan(1_500));

describe('every Persian text', () => {
  test.each(Object.entries(rules))('%s', (_, wrong) => {
    expect(texts.filter(({ text }) => wrong.test(text)).map(({ where, text }) => `${where}: ${text}`)).toEqual([]);
  });
});

describe('the rules find what is wrong', () => {
  test.each([
    ['digits are Persian', 'تا 3 دستگاه'],
    ['digits are Persian', 'تا ٣ دستگاه'],
    ['quotes are «» and stand close', 'کانفیگ "گوشی"'],
    ['quotes are «» and stand close', 'کانفیگ « گوشی»'],
    ['commas, semicolons and question marks are Persian', 'مطمئنید?'],
    ['no space before punctuation, one after it, none twice', 'سلام ، خوبید'],
    ['no space before punctuation, one after it, none twice', 'سلام،خوبید'],
    ['no space before punctuation, one after it, none twice', 'سلام  خوبید'],
    ['direction is set by isolates only, and each is closed', 'نشانی \u200eexample'],
    ['direction is set by isolates only, and each is closed', 'نام \u2068example'],
  ] as const)('%s: %s', (rule, text) => {
    expect(
      textsOf({ path: 'a.ts', source: `const a = '${text}';` }).filter((found) => rules[rule].test(found.text)),
    ).toHaveLength(1);
  });

  test('names of products, versions and placeholders are no mistakes', () => {
    const source = "const a = 'با IKEv2 و AES-256، {count} بار، \u2068{name}\u2069';";
    expect(
      textsOf({ path: 'a.ts', source }).filter(({ text }) => Object.values(rules).some((r) => r.test(text))),
    ).toEqual([]);
  });
});

function* filesIn(folder: string): Generator<{ path: string; source: string }> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'generated' && entry.name !== 'gen') yield* filesIn(path);
    } else if (/\.(ts|tsx|json)$/.test(entry.name) && !entry.name.includes('.test.')) {
      yield { path: relative(root, path), source: readFileSync(path, 'utf8') };
    }
  }
}

/** String literals and texts between tags that contain Persian letters, without what is filled in, marked up or Latin. */
function textsOf({ path, source }: { path: string; source: string }): Text[] {
  const found: Text[] = [];
  for (const [index, line] of source.split('\n').entries()) {
    const filled = line.replace(/(^|\s)\/\/.*$|^\s*\/?\*.*$/, '').replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '◌');
    for (const literal of filled.matchAll(/'((?:[^'\\]|\\.)*)'|`([^`]*)`|"((?:[^"\\]|\\.)*)"|>([^<>{}]+)</g)) {
      const whole = literal[1] ?? literal[2] ?? literal[3] ?? literal[4] ?? '';
      for (const part of whole.split(/<[^>]*>/)) {
        if (!PERSIAN.test(part) || verbatim.includes(part)) continue;
        const text = unescaped(part)
          .replace(/\{[^}]*\}/g, '◌')
          .replace(/[A-Za-z][\w.:/+@-]*/g, '◌');
        found.push({ where: `${path}:${index + 1}`, text });
      }
    }
  }
  return found;
}

function unescaped(text: string): string {
  return text
    .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\(["'])/g, '$1');
}
