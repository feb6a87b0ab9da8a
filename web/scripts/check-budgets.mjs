import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Weighs what people download (brotli) and fails when a page or a part of the application is over its budget. */
const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const manifest = JSON.parse(readFileSync(`${dist}.vite/manifest.json`, 'utf8'));
const budgetsKb = { landing: 60, entry: 95, lazy: 40, css: 15 };

const entry = withStaticImports('app.html');
const rows = [
  row('landing, all', budgetsKb.landing, weightOfPage('index.html')),
  row('404, all', budgetsKb.landing, weightOfPage('404.html')),
  row('app entry JS', budgetsKb.entry, sum([...entry].map((key) => manifest[key].file))),
  ...Object.values(manifest)
    .filter((chunk) => chunk.file.endsWith('.js') && !chunk.isEntry && !isIn(entry, chunk))
    .map((chunk) => row(`lazy ${chunk.file.replace('assets/', '')}`, budgetsKb.lazy, weight(chunk.file)))
    .sort((a, b) => b.kb - a.kb),
  row('CSS of the app', budgetsKb.css, sum(cssOfPage('app.html'))),
  row('CSS of the landing', budgetsKb.css, sum(cssOfPage('index.html'))),
];

const shown = process.argv.includes('--all') ? rows : rows.filter(({ kb, name }) => kb > 3 || !name.startsWith('lazy'));
console.table(
  shown.map(({ name, kb, budget, ok }) => ({ part: name, 'KB (br)': kb, budget, ok: ok ? 'yes' : 'OVER' })),
);
if (rows.some(({ ok }) => !ok)) {
  console.error('Over budget.');
  process.exit(1);
}

function row(name, budget, bytes) {
  const kb = Math.round((bytes / 1024) * 10) / 10;
  return { name, kb, budget, ok: kb <= budget };
}

/** The document and every file of ours that it names. */
function weightOfPage(html) {
  const text = readFileSync(`${dist}${html}`, 'utf8');
  const files = [...text.matchAll(/<(?:script|link)[^>]* (?:src|href)="\/([^"]+)"/g)].map(([, file]) => file);
  return sum([html, ...files]);
}

function cssOfPage(html) {
  return [...readFileSync(`${dist}${html}`, 'utf8').matchAll(/href="\/(assets\/[^"]+\.css)"/g)].map(([, file]) => file);
}

function withStaticImports(key, seen = new Set()) {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const imported of manifest[key].imports ?? []) withStaticImports(imported, seen);
  return seen;
}

function isIn(keys, chunk) {
  return [...keys].some((key) => manifest[key].file === chunk.file);
}

function sum(files) {
  return files.reduce((total, file) => total + weight(file), 0);
}

function weight(file) {
  const path = `${dist}${file}`;
  return statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size;
}
