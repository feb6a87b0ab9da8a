import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildAgent, buildWeb } from './build.mjs';
import { childEnvironment, ensureInstalled, fail } from './install.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

/**
 * `npm run scan`: wapiti on the public pages and the panel, sqlmap on every call of the OpenAPI document, both signed in
 * (`e2e/scan-product.ts`). Fails when one of them reports anything of medium weight or more. About an hour on two cores;
 * `npm run scan -- wapiti` and `npm run scan -- sqlmap getPayment` run a part. docs/security.md keeps the result.
 */
const packages = { wapiti: 'wapiti', sqlmap: 'sqlmap' };
/** Without those that need a host of wapiti's makers on the internet (ssrf, xxe) or name other products (nikto, drupal). */
const modules = [
  ...[
    'backup',
    'blindsql',
    'cookieflags',
    'crlf',
    'csp',
    'csrf',
    'exec',
    'file',
    'htaccess',
    'http_headers',
    'methods',
  ],
  ...['permanentxss', 'redirect', 'shellshock', 'sql', 'xss'],
];
const pages = [
  '/',
  '/en',
  '/downloads',
  '/register',
  '/auth/passwordless',
  '/user/dashboard',
  '/user/configs',
  '/user/wallet',
];
const MODULE_SECONDS = 180;
const [only, ...names] = process.argv.slice(2);

const node = ensureInstalled();
const missing = ensureSystemPackages(packages, console.log);
if (missing.length > 0) fail('wapiti and sqlmap are needed.');
if (!existsSync('web/dist/index.html') && !(buildWeb(node) && buildAgent(node)))
  fail('The product could not be built.');
const directory = mkdtempSync(join(tmpdir(), 'raha-scan-'));
const product = spawn(node, ['e2e/scan-product.ts'], { stdio: ['pipe', 'pipe', 'inherit'], env: childEnvironment() });
const ended = new Promise((done) => product.once('exit', done));
const line = await Promise.race([new Promise((done) => createInterface(product.stdout).once('line', done)), ended]);
if (typeof line !== 'string') fail('The product did not start; see above.');
const { address, requests } = JSON.parse(line);
const findings = [...(only === 'sqlmap' ? [] : runWapiti()), ...(only === 'wapiti' ? [] : runSqlmap())];
product.stdin.end();
await ended;
rmSync(directory, { recursive: true, force: true });
for (const finding of findings) console.log(finding);
if (findings.length > 0) fail(`${findings.length} findings of medium weight or more.`);
console.log('Nothing of medium weight or more.');

/** Levels of wapiti's report: 1 low, 2 medium, 3 high. */
function runWapiti() {
  const report = join(directory, 'wapiti.json');
  const starts = [...pages, ...requests.filter(({ method }) => method === 'GET').map(({ path }) => path)];
  spawnSync(
    'wapiti',
    [
      ...['-u', `${address}/`, '--scope', 'domain', '--flush-session', '--store-session', directory, '-d', '4'],
      ...starts.flatMap((path) => ['-s', address + path]),
      ...['-m', modules.join(','), '--max-attack-time', String(MODULE_SECONDS), '-t', '15', '--no-bugreport'],
      ...['-v', '1', '-f', 'json', '-o', report],
    ],
    { stdio: 'inherit' },
  );
  if (!existsSync(report)) return ['wapiti wrote no report'];
  const { vulnerabilities, infos } = JSON.parse(readFileSync(report, 'utf8'));
  console.log(infos);
  const all = Object.entries(vulnerabilities).flatMap(([kind, found]) => found.map((each) => ({ kind, ...each })));
  console.table(
    all.map(({ kind, level, method, path, info }) => ({
      kind,
      level,
      call: `${method} ${path}`.slice(0, 60),
      info: info.slice(0, 90),
    })),
  );
  return all
    .filter(({ level }) => level >= 2)
    .map(({ kind, method, path, info }) => `wapiti: ${kind}: ${method} ${path}: ${info}`);
}

function runSqlmap() {
  const wanted = requests.filter(({ name, path, body }) =>
    names.length > 0
      ? names.includes(name)
      : !/Alias\d/.test(name) && !/realtime/.test(path) && (body || /\?|[0-9a-f]{8}-/.test(path)),
  );
  return wanted.flatMap((each, index) => {
    const output = join(directory, `sqlmap-${index}`);
    const { stdout } = spawnSync(
      'sqlmap',
      [
        ...[
          '-r',
          writeRequest(each, index),
          '--batch',
          '--ignore-stdin',
          '--flush-session',
          '--output-dir',
          output,
          '--disable-coloring',
        ],
        ...[
          '--level',
          // Below level 4 it leaves out what is named like a token.
          /token/i.test(each.path + each.body) ? '4' : '2',
          '--skip',
          'user-agent,referer,host',
          '--risk',
          '2',
          '--technique',
          'BEUST',
          '--time-sec',
          '3',
          '--threads',
          '4',
          '--dbms',
          'PostgreSQL',
        ],
        ...[
          '--ignore-code',
          '400,401,403,404,409,413,415,422,429',
          '--random-agent',
          '--timeout',
          '20',
          '--retries',
          '1',
        ],
      ],
      { encoding: 'utf8', maxBuffer: 100_000_000 },
    );
    // Its own checks for false positives come before this sentence.
    const found = stdout.includes('identified the following injection point');
    const sent = stdout.match(/testing '/g)?.length ?? 0;
    console.log(
      `sqlmap ${index + 1}/${wanted.length} ${each.method} ${each.path.slice(0, 80)}: ${sent} tests${found ? ', FOUND' : ''}`,
    );
    if (sent === 0) return [`sqlmap tested nothing: ${each.method} ${each.path}: ${stdout.slice(-1_500)}`];
    return found ? [`sqlmap: ${each.method} ${each.path}: ${stdout.slice(-1_500)}`] : [];
  });
}

/** Every parameter of the path is marked with an asterisk; those of the query and of JSON sqlmap finds by itself. */
function writeRequest({ method, path, body }, index) {
  const [route, query] = path.split('?');
  const marked = route.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '$&*');
  const lines = [
    `${method} ${marked}${query ? `?${query}` : ''} HTTP/1.1`,
    `Host: ${new URL(address).host}`,
    ...(body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`] : []),
  ];
  const file = join(directory, `request-${index}.txt`);
  writeFileSync(file, `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
  return file;
}
