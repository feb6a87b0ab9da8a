import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { browserStorage, cookies } from '@raha/contract/privacy.ts';
import { describe, expect, test } from 'vitest';
import { findOldWords, isChecked } from './scripts/vocabulary.ts';

/** Rules of the house that no linter knows. Each failure names the file, the line and the rule. */

const root = import.meta.dirname;
const SKIPPED = new Set(['node_modules', 'dist', 'generated', 'gen', '.git', '.data', '.ssr', '.build', 'coverage']);
const CODE = new Set(['.ts', '.tsx', '.mjs', '.cjs']);
const TEXT = new Set([...CODE, '.md', '.json', '.css', '.html', '.sql', '.sh', '.example']);

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
}

const files = [...walk(root)];
const code = files.filter((file) => CODE.has(extname(file.path)));
/** Programs of the product: no tests, and no scripts that run beside it. */
const product = code.filter((file) => /^(contract|server|node-agent|web)\/src\//.test(file.path) && !isTest(file));

describe('sizes', () => {
  test('no file of code has more than 400 lines', () => {
    expect(code.filter((file) => file.lines.length > 401).map((file) => `${file.path}: ${file.lines.length}`)).toEqual(
      [],
    );
  });
});

describe('time, chance and environment come in through one file per package', () => {
  const homes = {
    'Date.now, new Date()': {
      pattern: /\bDate\.now\b|\bnew Date\(\)/,
      files: ['server/src/platform/clock.ts', 'node-agent/src/main.ts', 'web/src/api/clock.ts'],
    },
    'Math.random': {
      pattern: /\bMath\.random\b/,
      files: ['server/src/platform/random.ts', 'node-agent/src/main.ts', 'web/src/api/clock.ts'],
    },
    'process.env': {
      pattern: /\bprocess\.env\b/,
      files: ['server/src/platform/config.ts', 'node-agent/src/main.ts'],
    },
  };
  for (const [what, home] of Object.entries(homes)) {
    test(what, () => {
      expect(
        find(
          product.filter((file) => !home.files.includes(file.path)),
          home.pattern,
        ),
      ).toEqual([]);
    });
  }
});

describe('privacy', () => {
  test('what the pages write into a browser is among what the privacy page lists', () => {
    const pages = product.filter((file) => /^web\/(src|scripts)\//.test(file.path));
    const written = pages.flatMap(({ lines }) => {
      const text = lines.join('\n');
      const constants = new Map(
        [...text.matchAll(/const ([A-Z_]+) = '([^']+)'/g)].map(([, name, value]) => [name, value]),
      );
      const named = (argument = '') => constants.get(argument) ?? argument.replaceAll("'", '');
      return [
        ...[...text.matchAll(/Storage\.setItem\(([^,]+),/g)].map(([, argument]) => named(argument)),
        ...[...text.matchAll(/(?<!function )\bwriteCookie\(('[^']+'|[A-Z_]+),/g)].map(([, argument]) =>
          named(argument),
        ),
        ...[...text.matchAll(/\bcookie = `([\w-]+)=/g)].map(([, name]) => name ?? ''),
      ];
    });
    const listed = [...Object.keys(browserStorage), ...Object.keys(cookies)];
    expect(written.filter((name) => !listed.includes(name))).toEqual([]);
    expect(Object.keys(browserStorage).filter((name) => !written.includes(name))).toEqual([]);
  });

  test('a client’s address is read in three places, and none of them keeps or logs it', () => {
    const readers = [
      // A node's own, to know what its people look like from outside.
      'server/src/modules/billing/routes.ts',
      'server/src/modules/provisioning/routes.ts',
      // Shown to the requester, and forgotten.
      'server/src/modules/configs/server-routes.ts',
      // Looked up for the number of its network, and forgotten.
      'server/src/modules/reach/routes.ts',
      // Counted by the hour, in memory.
      'server/src/platform/http/network-limit.ts',
      // Forged, and shown, by our own doctor.
      'server/src/app/doctor/outside.ts',
      'server/src/app/probe.ts',
      // Whether it is this machine's own.
      'server/src/platform/http/direct-request.ts',
    ];
    // Apple’s profiles have a key called RemoteAddress.
    const address = /\b(request|req|socket)\.ips?\b|remoteAddress|[xX]-[fF]orwarded-[fF]or/;
    const servers = product.filter((file) => file.path.startsWith('server/src/'));
    expect(
      find(
        servers.filter((file) => !readers.includes(file.path)),
        address,
      ),
    ).toEqual([]);
    expect(find(servers, /\blog\.\w+\(.*\b(ip|address|remoteAddress|headers)\b/)).toEqual([]);
  });
});

describe('vocabulary', () => {
  test('no word of the old vocabulary, in identifiers, comments, SQL, documents and commands', () => {
    const found = files.filter(({ path }) => isChecked(path)).flatMap(({ path, text }) => findOldWords(path, text));
    expect(
      found.map(({ path, line, rule, text }) => `${path}:${line}: "${rule.old}", say ${rule.use}: ${text}`),
    ).toEqual([]);
  });

  test.each([
    ['an identifier', 'server/src/x.ts', 'const isKnocking = knockAt;', 'knock'],
    ['a word inside an identifier', 'web/src/x.ts', 'const placeOf = 1;', 'place'],
    ['a comment', 'web/src/x.ts', '// whoever has it', 'who has, whoever, of who'],
    ['a query', 'server/src/x.ts', 'sql`SELECT successor_id FROM config`', 'successor'],
    ['a column', 'server/migrations/0099_x.sql', 'ALTER TABLE meter ADD COLUMN withheld int;', 'withheld'],
    ['a document', 'docs/x.md', 'The cut-off page.', 'cut off'],
    ['a test title', 'server/test/x.test.ts', "test('a purse that is empty')", 'purse'],
    ['a chain of the firewall', 'node-agent/src/x.ts', "chain('raha_lead')", 'raha_lead, raha_spare'],
  ])('%s is found', (_what, path, text, old) => {
    expect(findOldWords(path, text).map(({ rule }) => rule.old)).toContain(old);
  });
});

describe('nothing is left for later', () => {
  test('no marks of unfinished work', () => {
    expect(find(code, /\b(TO[D]O|FIX[M]E|XX[X]|HAC[K])\b/)).toEqual([]);
  });

  // Conditional skips (`skipIf`) are counted by the run and are failures in CI.
  test('no test is skipped or singled out', () => {
    const tests = code.filter(isTest);
    expect(find(tests, /\b(describe|test|it)(\.\w+)*\.(only|skip|todo|fails)\b|\b[xf](describe|it|test)\(/)).toEqual(
      [],
    );
  });
});

describe('Persian', () => {
  /** Sentences that the specifications give word for word, whatever one thinks of their spelling. */
  const verbatim = ['حداقل مبلغ قابل پرداخت 10,000 تومان میباشد', 'فقط میتواند شامل'];
  const persian = files
    .filter((file) => TEXT.has(extname(file.path)) && !isTest(file))
    .map((file) => ({
      ...file,
      lines: file.lines.map((line) => verbatim.reduce((l, s) => l.replaceAll(s, ''), line)),
    }));

  test('no Arabic yeh or kaf outside the file that folds them', () => {
    const folding = ['contract/src/persian.ts', 'tidy.test.ts'];
    expect(
      find(
        persian.filter((file) => !folding.includes(file.path)),
        /[\u064a\u0643]/,
      ),
    ).toEqual([]);
  });

  test('prefixes and plurals are joined by a zero-width non-joiner', () => {
    // «می شود» and «میشود» are both «می‌شود»; «کانفیگ ها» is «کانفیگ‌ها».
    const apart = /(?<![\u0600-\u06ff\u200c])ن?می [\u0622-\u06cc]/;
    const stuck = /(?<![\u0600-\u06ff\u200c])ن?می(شو[دی]|کن[دیم]|توان|باش|خواه|گیر|ده[دیم]|رس[دیم]|مان[دیم]|رو[دیم])/;
    const plural = /[\u0622-\u06cc] ها(ی|یی|یش|یتان|یم)?(?![\u0600-\u06ff\u200c])/;
    const shown = persian.filter((file) => /^(contract|server|web)\//.test(file.path));
    expect([apart, stuck, plural].flatMap((pattern) => find(shown, pattern))).toEqual([]);
  });

  test('words that people use, none that only books have', () => {
    /** What people say in their place: حرف، قیمت، مصرف، انتخاب کنید، شروع، بعد، الان، چطور، حداقل، قبلی، اول، تمام، موقع. */
    const stems = ['نویسه', 'بها(ی|یی|یش)?', 'ردوبدل', 'برگزین', 'آغاز', 'سپس', 'اکنون', 'چگونه', 'دست‌کم', 'پیشین'];
    const more = ['نخست', 'می‌یابد', 'هنگام', 'نمایید', 'گردید', 'لذا', 'چنانچه', 'ذیل', 'مذکور', 'بدین'];
    const bookish = new RegExp(`(?<![\\u0600-\\u06ff\\u200c])(${[...stems, ...more].join('|')})(?![\\u0600-\\u06ff])`);
    // «هم اکنون» is the specification's.
    const shown = persian
      .filter((file) => /^(contract|server|web|node-agent)\//.test(file.path))
      .map((file) => ({ ...file, lines: file.lines.map((line) => line.replaceAll('هم اکنون', '')) }));
    expect(find(shown, bookish)).toEqual([]);
  });
});

describe('web', () => {
  test('no physical left or right: the interface is mirrored', () => {
    const utilities =
      /(?<=["'`\s:!-])-?(ml|mr|pl|pr|left|right|border-[lr]|rounded-([lr]|t[lr]|b[lr])|scroll-[mp][lr])-[\w[(]/;
    const aligned = /(?<=["'`\s:!])(text|float|clear)-(left|right)(?=["'`\s])/;
    const pages = code.filter((file) => file.path.startsWith('web/src/') && extname(file.path) === '.tsx');
    const styles = files.filter((file) => file.path.startsWith('web/src/') && extname(file.path) === '.css');
    const properties = /(^|[\s;{])((margin|padding|border)-(left|right)|left|right)\s*:|text-align\s*:\s*(left|right)/;
    expect([...find(pages, utilities), ...find(pages, aligned), ...find(styles, properties)]).toEqual([]);
  });
});

describe('a stranger can set it up', () => {
  test('every variable of the server is in .env.example, and no other', () => {
    const config = textOf('server/src/platform/config.ts');
    const table = config.slice(config.indexOf('const environment'), config.indexOf('export interface Config'));
    const read = [...table.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map((match) => match[1]).sort();
    const listed = [...textOf('.env.example').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map((match) => match[1]).sort();
    expect(read.length).toBeGreaterThan(0);
    expect(listed).toEqual(read);
  });

  test('no path of somebody’s own machine', () => {
    const own = /\/work\/|\/home\/[a-z]|\/Users\/[a-z]|C:\\\\|\/tmp\/[a-z]/;
    expect(
      find(
        files.filter((file) => file.path !== 'tidy.test.ts' && TEXT.has(extname(file.path))),
        own,
      ),
    ).toEqual([]);
  });

  test('every link between documents leads somewhere', () => {
    const documents = files.filter((file) => extname(file.path) === '.md');
    const broken = documents.flatMap((file) =>
      [...file.text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
        .map((match) => join(file.path, '..', match[1] ?? '').replace(/\/$/, ''))
        .filter((target) => !existsSync(join(root, target)))
        .map((target) => `${file.path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });
});

function* walk(directory: string): Generator<SourceFile> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name)) yield* walk(path);
    } else if (entry.isFile() && entry.name !== 'package-lock.json' && isText(entry.name)) {
      const text = readFileSync(path, 'utf8');
      yield { path: relative(root, path), text, lines: text.split('\n') };
    }
  }
}

function isText(name: string): boolean {
  return TEXT.has(extname(name)) || name === '.env.example' || name === 'run' || !name.includes('.');
}

function isTest(file: SourceFile): boolean {
  return /\.(test|e2e)\.tsx?$|\/test\/|^e2e\//.test(file.path);
}

function find(among: readonly SourceFile[], pattern: RegExp): string[] {
  return among.flatMap((file) =>
    file.lines.flatMap((line, index) =>
      pattern.test(line) ? [`${file.path}:${index + 1}: ${line.trim().slice(0, 160)}`] : [],
    ),
  );
}

function textOf(path: string): string {
  return files.find((file) => file.path === path)?.text ?? '';
}
