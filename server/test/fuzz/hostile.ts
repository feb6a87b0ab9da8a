import fc from 'fast-check';

/** Draws a value of a fast-check arbitrary; all draws of a request follow from its seed. */
export type Draw = ReturnType<typeof drawOf>;

export function drawOf(seed: number) {
  const [generator] = fc.sample(fc.gen(), { seed, numRuns: 1 });
  if (!generator) throw new Error('fast-check drew nothing');
  const number = (least: number, most: number): number => generator(fc.integer, { min: least, max: most });
  return {
    number,
    oneOf: <T>(values: readonly T[]): T => values[number(0, values.length - 1)] as T,
    /** True once in `times`. */
    once: (times: number): boolean => number(1, times) === 1,
    text: (): string => generator(fc.string, { unit: 'binary', maxLength: 40 }),
    json: (): unknown => JSON.parse(generator(fc.json, { maxDepth: 4 })),
  };
}

/** Stands for a piece of JSON that `JSON.stringify` cannot write; `writeJson` puts it in. */
const RAW = '\u0001raw:';
const raw = (text: string): string => RAW + text;

/** JSON text, with the pieces marked as raw written as they are. */
export function writeJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.replaceAll(/"\\u0001raw:((?:[^"\\]|\\.)*)"/g, (_, piece: string) => JSON.parse(`"${piece}"`) as string);
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

export const hostileTexts: readonly string[] = [
  ...[
    '',
    ' ',
    '\u00a0\u200c',
    '\0',
    'a\0b',
    '\ud800',
    'a\udfffb',
    '\u202e',
    '\ufeff',
    '\u{1f3f4}\u{e0067}',
    'آ'.repeat(300),
  ],
  ...[
    'x'.repeat(1_000),
    'x'.repeat(60_000),
    '%',
    '%00',
    '%zz',
    '%ed%a0%80',
    '../../../etc/passwd',
    '..%2f..%2f',
    '.',
    '..',
  ],
  ...[
    "' OR 1=1 --",
    "'; SELECT pg_sleep(30); --",
    '$1',
    '\\',
    '"',
    '`id`',
    '$' + '{7*7}',
    '{{7*7}}',
    '%s%n%p',
    '*)(uid=*',
  ],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'null', 'undefined', 'NaN', 'true', '[object Object]'],
  ...[
    '0',
    '-0',
    '-1',
    '1e309',
    '1e-400',
    '0x10',
    '9007199254740993',
    '9223372036854775808',
    '99999999999999999999999999',
  ],
  ...[
    'infinity',
    '-infinity',
    'epoch',
    'now',
    '0000-00-00',
    '2026-02-30',
    '9999-12-31',
    '10000-01-01',
    '-000001-01-01',
  ],
  ...[
    '+275760-09-13',
    '2026-11-23T25:61:61Z',
    '4714-11-25 BC',
    '1405-09-02',
    '۱۲۳',
    '١٢٣',
    '1,000',
    '1.5',
    '+1',
    '1 2',
  ],
  ...[
    'a\r\nb: c',
    'a@b@c',
    'a@b.ir',
    'javascript:alert(1)',
    '//evil.example',
    'http://169.254.169.254/',
    '<svg onload=x>',
  ],
  ...[
    '00000000-0000-0000-0000-000000000000',
    'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
    '{a}',
    'a'.repeat(36),
    '-'.repeat(36),
  ],
];

const hostileValues: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -0,
    -1,
    1,
    0.1,
    1.5e-7,
    2 ** 31,
    2 ** 32,
    2 ** 53 - 1,
    2 ** 53,
    2 ** 63,
    -(2 ** 53),
    1e21,
    1e308,
  ],
  ...[[], {}, [null], [[]], [{}], { a: 1 }, { length: 1e9 }, { toString: 1 }, { toJSON: 1 }, ['a', 'b'], [1, 2]],
  ...[
    raw('1e400'),
    raw('-1e400'),
    raw('1e-400'),
    raw(`1${'0'.repeat(5_000)}`),
    raw(`0.${'1'.repeat(5_000)}`),
    raw('-0'),
  ],
  ...[raw(nested(100)), raw(nested(8_000)), raw('"\\ud800"'), raw('"\\u0000"'), raw('{"__proto__":{"a":1}}')],
  ...[raw('{"constructor":{"prototype":{"a":1}}}'), Array.from({ length: 3_000 }, () => 0)],
];

export function hostileValue(draw: Draw): unknown {
  if (draw.once(3)) return draw.oneOf(hostileValues);
  if (draw.once(4)) return draw.json();
  return draw.once(4) ? draw.text() : draw.oneOf(hostileTexts);
}

export function hostileText(draw: Draw): string {
  return draw.once(4) ? draw.text() : draw.oneOf(hostileTexts);
}

/** Breaks the text of a body, which may end up as no JSON and no UTF-8. */
export function breakBody(text: string, draw: Draw): Buffer {
  const at = draw.number(0, text.length);
  const broken: readonly (() => string | Buffer)[] = [
    () => text.slice(0, at),
    () => text.slice(0, at) + draw.text() + text.slice(at),
    () => text.replace('{', '{"__proto__":{"role":"admin"},'),
    () => text.replace('{', '{"constructor":{"prototype":{"role":"admin"}},'),
    () => text.replace(/^\{("[^"]*":)/, '{$1null,$1'),
    () => text.replace(/^\{("[^"]*":)(.*)\}$/s, '{$1$2,$1[]}'),
    () => text.replaceAll(/\d+/g, '1e999'),
    () => text.replaceAll(/"(?=[,}\]])/g, '\\ud800"'),
    () => text.replaceAll(/"(?=[,}\]])/g, '\\u0000"'),
    () => `\ufeff${text}`,
    () => `[${text}]`,
    () => `${text}${text}`,
    () => '[{"a":'.repeat(9_000),
    () => nested(30_000),
    () => `"${'x'.repeat(1_000_000)}"`,
    () => text.replace(/"(?=[,}\]])/, `${'y'.repeat(1_000_000)}"`),
    () => draw.oneOf(['', 'null', 'true', '0', '""', '[]', '{}', 'undefined', '\0', ' '.repeat(60_000)]),
    () =>
      Buffer.concat([
        Buffer.from(text.slice(0, at)),
        Buffer.of(0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80),
        Buffer.from(text.slice(at)),
      ]),
    () => Buffer.from(text, 'utf16le'),
    () => Buffer.from(`${text}\0\0`),
  ];
  return Buffer.from(draw.oneOf(broken)());
}

export const contentTypes: readonly string[] = [
  ...[
    'text/xml',
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'json',
    '',
  ],
  ...[
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'a/b;;;=,',
  ],
  ...[
    'application/json, text/html',
    'application/json;charset="\u00ff"',
    `application/${'x'.repeat(4_000)}`,
    '*/*',
    '/',
  ],
  ...['application/merge-patch+json', 'application/problem+json', 'APPLICATION/JSON', 'application/json; boundary=x'],
];

/** Headers that the server reads, or that something before it may read. */
const headerNames =
  `authorization cookie accept-language x-forwarded-for x-forwarded-proto x-forwarded-host forwarded origin
  idempotency-key sec-fetch-site user-agent accept accept-encoding content-encoding referer x-request-id via range
  x-http-method-override webhook-id webhook-timestamp webhook-signature if-none-match if-modified-since last-event-id`.split(
    /\s+/,
  );

/** Values that no header expects; one a line. */
const headerValues: readonly string[] = `
,
;
=
a,b,c
Bearer
Bearer a.b.c
Basic Og==
null
*
-1
refreshToken=%
refreshToken=%ff%fe; device="
refreshToken=a; refreshToken=b
second_step=%00
device=;;=;
social=eyJ9
social=..
1.2.3.4, ::1
::ffff:1.2.3.4
999.1.1.1
fe80::1%eth0
[::1]:80
gzip
br, *;q=0
identity;q=0
en;q=nan
fa-IR,,;q=
https://evil.example
bytes=0-0,9999999999-
2026-99-99
W/"
v1,
1e999
TRACE`.split('\n');

export function hostileHeader(draw: Draw): [string, string] {
  const value = draw.oneOf([
    ...headerValues,
    ...['\u00ff\u00fe', 'x'.repeat(3_000), '9'.repeat(400), `v1,${'A'.repeat(2_000)}`],
    Buffer.from(draw.text()).toString('base64'),
  ]);
  return [draw.oneOf(headerNames), value];
}
