import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment, ensureInstalled, fail } from './install.mjs';

/**
 * `npm run lighthouse -- [address]`: Lighthouse (mobile, simulated throttling) on the pages that visitors see first,
 * against the product as it runs. Lighthouse is fetched for the occasion: it weighs more than everything else together.
 */
const VERSION = '13.5.0';
const pages = ['/', '/downloads', '/register', '/en'];
/** The application tells search engines to stay away, so its SEO figure says nothing. */
const hidden = new Set(['/register']);
const wanted = { performance: 95, accessibility: 100, 'best-practices': 100, seo: 100 };

const address = (process.argv[2] ?? 'http://127.0.0.1:3000').replace(/\/$/, '');
const node = ensureInstalled();
const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (!chromium) fail('Chromium is needed.');
const directory = mkdtempSync(join(tmpdir(), 'raha-lighthouse-'));
const rows = pages.map((path) => ({ path, ...measure(path) }));
rmSync(directory, { recursive: true, force: true });
console.table(rows);
const low = rows.flatMap((row) =>
  Object.entries(wanted)
    .filter(([name, least]) => !(name === 'seo' && hidden.has(row.path)) && row[name] < least)
    .map(([name, least]) => `${row.path}: ${name} ${row[name]}, wanted ${least}`),
);
if (low.length > 0) fail(low.join('\n'));

function measure(path) {
  const file = join(directory, `report${path.replaceAll('/', '-')}.json`);
  const flags = ['--quiet', '--chrome-flags=--headless=new --no-sandbox', '--output=json', `--output-path=${file}`];
  const { status } = spawnSync(
    'npm',
    ['exec', '--yes', `--package=lighthouse@${VERSION}`, '--', 'lighthouse', address + path, ...flags],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...childEnvironment(), CHROME_PATH: chromium, npm_node_execpath: node },
    },
  );
  if (status !== 0 || !existsSync(file)) fail(`Lighthouse did not measure ${address}${path}.`);
  const { categories, audits } = JSON.parse(readFileSync(file, 'utf8'));
  const scores = Object.keys(wanted).map((name) => [name, Math.round(categories[name].score * 100)]);
  return { ...Object.fromEntries(scores), LCP: audits['largest-contentful-paint'].displayValue };
}
