import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The words that the code does not use, and the field's words that stand for them (docs/decisions/0041). Checked by
 * `tidy.test.ts`; `node scripts/vocabulary.ts [directory]` counts them in a checkout.
 *
 * A part of a file is one of: `name` (one word of an identifier, lower case: `lastSeenAt` has three), `comment`, and `text`
 * (a string, SQL or a document).
 */
type Kind = 'name' | 'comment' | 'text';

interface Rule {
  readonly old: string;
  readonly use: string;
  /** One word of an identifier. */
  readonly name?: RegExp;
  /** In comments. */
  readonly comment?: RegExp;
  /** In comments, strings, SQL and documents. */
  readonly prose?: RegExp;
  /** Where the rule holds; everywhere if absent. */
  readonly paths?: RegExp;
  /** Where another meaning of the word is the field's own. */
  readonly except?: RegExp;
}

const AGENT = /^node-agent\//;
const SERVER_SIDE = /^(server|node-agent|contract|e2e|bench)\//;

export const rules: readonly Rule[] = [
  { old: 'knock', use: 'probe', name: /^knock(s|er|ing|ed)?$/, prose: /\bknock(s|er|ing|ed)?\b/i },
  {
    ...{ old: 'farewell, see off', use: 'graceful disconnect' },
    ...{ name: /^farewells?$/, prose: /\bfarewells?\b|\b(see|seen|sees|saw|seeing) off\b/i },
  },
  {
    ...{ old: 'door', use: 'slot policy', name: /^doors?$/, prose: /\bdoors?\b/i, paths: SERVER_SIDE },
    // One of V2Ray's protocols.
    ...{ except: /dokodemo-door/ },
  },
  { old: 'raha_lead, raha_spare', use: 'raha_redirect, raha_exempt', prose: /\braha_(lead|spare|free_|over_)/ },
  {
    ...{ old: 'cut off', use: 'quota exceeded, captive portal' },
    ...{ name: /^cutoff$/, prose: /\bcut[- ]off\b|\bcutOff|\bcut_off/i, except: /cutOff\.reachable/ },
  },
  // Elsewhere reach is how devices get through (decision 106).
  {
    ...{ old: 'reach (hosts)', use: 'walled garden', name: /^(reach|reachable)$/ },
    paths: /^node-agent\/src\/(portal|firewall\/service-)/,
  },
  {
    ...{ old: 'screened', use: 'DNS filtering', name: /^screen(ed|ing)$/, prose: /\bscreen(ed|ing)\b/i },
    ...{ except: /\/name-screening/ },
  },
  { old: 'withheld', use: 'blocked queries', name: /^withheld$/, prose: /\bwithheld\b/i },
  { old: 'gate', use: 'authenticators, identity-request connection', name: /^gates?$/, comment: /\bgates?\b/i },
  { old: 'place', use: 'slot, placeholder, location, path', name: /^places?$/ },
  {
    ...{ old: 'notice', use: 'notification, notification event' },
    ...{ name: /^notices?$/, comment: /\b(a|an|the|one|each|every|no|of|these|all|as|by) notices?\b/i },
  },
  { old: 'letter', use: 'email', name: /^letter$/, paths: /^server\/src\/(?!cli)/ },
  { old: 'bell, Wake', use: 'signal', name: /^(bells?|wake)$/, paths: AGENT },
  { old: 'turns', use: 'mutex', name: /^turns$/, paths: AGENT },
  { old: 'within', use: 'withTimeout', name: /^within$/, paths: AGENT },
  { old: 'Shift, Runtime', use: 'AgentContext', name: /^(shift|runtime)$/, paths: AGENT, except: /\.shift\(/ },
  { old: 'signs, lives, vitals', use: 'tunnel status, node status', name: /^(signs|lives|vitals)$/ },
  { old: 'wish', use: 'VICI command, request', name: /^wish(es|ed)?$/, prose: /\bwish(es|ed)?\b/i },
  { old: 'hungry', use: 'awaiting lease', name: /^hungry$/, prose: /\bhungry\b/i },
  { old: 'quiet', use: 'refill denied', name: /^quiet$/, paths: AGENT },
  { old: 'strangers', use: 'unknown peers', name: /^strangers?$/, paths: AGENT, prose: /\bstrangers\b/i },
  { old: 'purse', use: 'funding sources', name: /^purses?$/, prose: /\bpurses?\b/i },
  { old: 'giver', use: 'source', name: /^givers?$/, prose: /\bgivers?\b/i },
  {
    ...{ old: 'suspicion', use: 'anomaly', name: /^suspicions?$/, prose: /\bsuspicions?\b/i },
    ...{ except: /^\s*suspicions: state\.anomalies/ },
  },
  {
    old: 'hint',
    use: 'change signal',
    name: /^hints?$/,
    comment: /\bhints?\b/i,
    paths: /^(server\/src\/(?!cli)|node-agent)\//,
  },
  { old: 'level (balance)', use: 'low-balance baseline', prose: /\bbalance_level\b|\blevel_toman\b|\bbalanceLevel\b/ },
  { old: 'successor', use: 'replacement', name: /^successors?$/, prose: /\bsuccessors?\b/i },
  { old: 'breath', use: 'yieldToMain', name: /^breath$/, prose: /\bbreath\b/i },
  {
    old: 'passing, sendOn, trail',
    use: 'navigation, redirectTo, history',
    name: /^(passing|trail)$/,
    prose: /\bsendOn\b/,
  },
  {
    old: 'Repeatable, answerOnce',
    use: 'IdempotentRequest, runIdempotently',
    name: /^repeatable$/,
    prose: /\banswerOnce\b/,
  },
  {
    ...{ old: 'told, spoken, wished, said', use: 'notified, selected, requested, messages' },
    ...{ name: /^(told|untold|spoken|said)$/ },
  },
  { old: 'person', use: 'user', name: /^persons?$/, prose: /\bpersons?\b/i },
  { old: 'agent (role)', use: 'reseller', prose: /\b(isAgent|agentRole|roleAgent)\b/ },
  { old: 'rate (dollar)', use: 'exchange rate', prose: /\b(RateSource|RateFeed|RateFeeds|rateFeeds|dollarRate)\b/ },
  {
    ...{ old: 'authority', use: 'gateway reference, certificate authority' },
    ...{
      except: /`node_authority\/|private_key/,
      prose: /\b(node_authority|authorityOf|readAuthority|AuthorityDeps|insertAuthority)\b/,
    },
  },
  {
    ...{ old: 'who has, whoever, of who', use: 'ordinary word order' },
    ...{ comment: /\b(who has|whoever|of who|who is not|so manieth|of him who)\b/i },
    // Tables of test titles.
    ...{ paths: /^(?!docs\/(spec-\d-tests|authorization)\.md)/ },
  },
];

export interface Found {
  readonly rule: Rule;
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Uses of an old word in a file. Documents count as comments. */
export function findOldWords(path: string, text: string): Found[] {
  const found: Found[] = [];
  const held = rules.filter((rule) => rule.paths?.test(path) ?? true);
  for (const part of partsOf(path, text)) {
    for (const rule of held) {
      if (!matches(rule, part.kind, part.text) || rule.except?.test(part.around)) continue;
      found.push({ rule, path, line: part.line, text: part.around.trim().slice(0, 140) });
    }
  }
  return found;
}

function matches(rule: Rule, kind: Kind, text: string): boolean {
  if (kind === 'name') return rule.name?.test(text) ?? false;
  // Names of columns and tables are words with underscores between them.
  if (rule.prose?.test(text) || rule.prose?.test(text.replaceAll('_', ' '))) return true;
  return kind === 'comment' && (rule.comment?.test(text) ?? false);
}

interface Part {
  readonly kind: Kind;
  readonly text: string;
  readonly line: number;
  readonly around: string;
}

function* partsOf(path: string, text: string): Generator<Part> {
  const lines = text.split('\n');
  for (const word of path.split(/[^A-Za-z]+/)) yield { kind: 'name', text: word.toLowerCase(), line: 1, around: path };
  const kinds = /\.(ts|tsx|mjs|cjs|js)$/.test(path) ? kindsOfCode(text) : undefined;
  let at = 0;
  for (const [index, around] of lines.entries()) {
    const line = index + 1;
    if (!kinds) {
      yield { kind: 'comment', text: around, line, around };
    } else {
      for (const [kind, text] of runs(around, kinds.subarray(at, at + around.length))) {
        if (kind === 'name') {
          for (const word of wordsOf(text)) yield { kind, text: word, line, around };
          // Whole identifiers as well, for rules about one name.
          yield { kind: 'text', text, line, around };
        } else yield { kind, text, line, around };
      }
    }
    at += around.length + 1;
  }
}

/** `lastSeenAt` and `last_seen_at` are last, seen, at. */
function wordsOf(code: string): string[] {
  return (code.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase());
}

const KINDS: readonly Kind[] = ['name', 'comment', 'text'];
const [CODE, COMMENT, STRING] = [0, 1, 2] as const;

function* runs(line: string, kinds: Uint8Array): Generator<[Kind, string]> {
  let start = 0;
  for (let end = 1; end <= line.length; end++) {
    if (end < line.length && kinds[end] === kinds[start]) continue;
    yield [KINDS[kinds[start] ?? 0] as Kind, line.slice(start, end)];
    start = end;
  }
}

/** What each character of a program is: code, comment or string. Regular expressions count as strings. */
function kindsOfCode(text: string): Uint8Array {
  const kinds = new Uint8Array(text.length);
  /** Depths of braces at which a template goes on. */
  const templates: number[] = [];
  let depth = 0;
  let last = '';
  let at = 0;
  const fill = (end: number, kind: number) => {
    kinds.fill(kind, at, end);
    at = end;
  };
  const template = (from: number) => {
    let end = from;
    while (end < text.length && text[end] !== '`' && !(text[end] === '$' && text[end + 1] === '{')) {
      end += text[end] === '\\' ? 2 : 1;
    }
    const goesOn = text[end] === '$';
    if (goesOn) {
      templates.push(depth);
      depth += 1;
    }
    fill(Math.min(text.length, end + (goesOn ? 2 : 1)), STRING);
  };
  while (at < text.length) {
    const char = text[at] as string;
    const two = text.slice(at, at + 2);
    if (two === '//') fill(endOf(text, '\n', at), COMMENT);
    else if (two === '/*') fill(endOf(text, '*/', at + 2) + 2, COMMENT);
    else if (char === "'" || char === '"') fill(endOfString(text, at, char), STRING);
    else if (char === '`') template(at + 1);
    else if (char === '/' && /^$|[(,=:[!&|?{};>]|return/.test(last)) fill(endOfRegex(text, at), STRING);
    else if (char === '}' && templates.at(-1) === depth - 1) {
      templates.pop();
      depth -= 1;
      template(at + 1);
    } else {
      if (char === '{') depth += 1;
      if (char === '}') depth -= 1;
      if (/\S/.test(char))
        last = /[a-z]/.test(char) ? (/\breturn$/.test(text.slice(at - 5, at + 1)) ? 'return' : 'a') : char;
      fill(at + 1, CODE);
      continue;
    }
    if (kinds[at - 1] === STRING) last = 'a';
  }
  return kinds;
}

function endOf(text: string, mark: string, from: number): number {
  const end = text.indexOf(mark, from);
  return end < 0 ? text.length : end;
}

function endOfString(text: string, from: number, quote: string): number {
  let end = from + 1;
  while (end < text.length && text[end] !== quote && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
  return Math.min(text.length, end + 1);
}

function endOfRegex(text: string, from: number): number {
  let end = from + 1;
  let inClass = false;
  while (end < text.length && text[end] !== '\n' && (inClass || text[end] !== '/')) {
    if (text[end] === '[') inClass = true;
    if (text[end] === ']') inClass = false;
    end += text[end] === '\\' ? 2 : 1;
  }
  return Math.min(text.length, end + 1);
}

/** They name the old words, or the old schema. */
const OWN = new Set([
  'scripts/vocabulary.ts',
  'tidy.test.ts',
  'docs/decisions/0041-words.md',
  'server/test/flows/upgrades.test.ts',
]);

/** Applied migrations are history; the table of this file names the old words; texts of the product have rules of their own. */
export function isChecked(path: string): boolean {
  if (/^server\/migrations\/00([0-2]\d|3[0-8])_/.test(path)) return false;
  if (/(^|\/)(node_modules|dist|generated|gen|coverage|public)\//.test(path)) return false;
  if (/^web\/src\/pages\/site\/text\//.test(path)) return false;
  if (OWN.has(path)) return false;
  return /\.(ts|tsx|mjs|cjs|js|sql|md|css|sh|nft)$/.test(path) || path === '.env.example';
}

/** Prints how often each old word is used in a checkout. */
function count(root: string): void {
  const sums = new Map<string, number>();
  const places: Found[] = [];
  for (const path of walk(root, root)) {
    if (!isChecked(path)) continue;
    for (const found of findOldWords(path, readFileSync(join(root, path), 'utf8'))) {
      sums.set(found.rule.old, (sums.get(found.rule.old) ?? 0) + 1);
      places.push(found);
    }
  }
  if (process.argv[3]) {
    for (const { rule, path, line, text } of places.filter(({ path }) => path.startsWith(process.argv[3] ?? '')))
      console.log(`${path}:${line}: [${rule.old}] ${text}`);
  }
  for (const [old, times] of [...sums].sort(([, a], [, b]) => b - a)) console.log(`${times}\t${old}`);
  console.log(`${places.length}\tall`);
}

function* walk(root: string, directory: string): Generator<string> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name === '.git') continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* walk(root, path);
    else if (extname(entry.name) || entry.name.startsWith('.env')) yield relative(root, path);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) count(process.argv[2] ?? '.');
