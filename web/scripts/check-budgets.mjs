import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { fillPlaceholders } from '@raha/contract/site-placeholders.ts';
import { usualValues } from './usual-values.mjs';

/** Weighs what people download (brotli) and fails when a page or a part of the application is over its budget. */
const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const manifest = JSON.parse(readFileSync(`${dist}.vite/manifest.json`, 'utf8'));
const budgetsKb = { page: 60, entry: 50, lazy: 40, css: 15, worker: 2, offline: 250, console: 150 };

const entry = new Set(scriptsOfPage('app.html').flatMap((file) => [...withStaticImports(keyOf(file))]));
const publicPages = Object.values(JSON.parse(readFileSync(`${dist}pages.json`, 'utf8')))
  .filter((file) => file.endsWith('.html'))
  .concat('404.html', '404-en.html');
const rows = [
  ...publicPages.map((file) => row(`${file.replace('pages/', '')}, all`, budgetsKb.page, weightOfPage(file))),
  row('app entry JS', budgetsKb.entry, sum([...entry].map((key) => manifest[key].file))),
  ...Object.values(manifest)
    .filter((chunk) => chunk.file.endsWith('.js') && !chunk.isEntry && !isIn(entry, chunk))
    .map((chunk) => row(`lazy ${chunk.file.replace('assets/', '')}`, budgetsKb.lazy, weight(chunk.file)))
    .sort((a, b) => b.kb - a.kb),
  row('CSS of the app', budgetsKb.css, sum(cssOfPage('app.html'))),
  row('service worker', budgetsKb.worker, weight('service-worker.js')),
  row('what it keeps', budgetsKb.offline, sum(filesOfRelease())),
  row('first load of the console', budgetsKb.console, weightOfConsole()),
  row('CSS of the static pages', budgetsKb.css, sum(cssOfPage('pages/fa/index.html'))),
];

const shown = process.argv.includes('--all') ? rows : rows.filter(({ kb, name }) => kb > 3 || !name.startsWith('lazy'));
console.table(
  shown.map(({ name, kb, budget, ok }) => ({ part: name, 'KB (br)': kb, budget, ok: ok ? 'yes' : 'OVER' })),
);
if (rows.some(({ ok }) => !ok)) {
  console.error('Over budget.');
  process.exit(1);
}

// A library that both use is one file; what is the console's own has one of these words.
const foreign = filesOf(manifest).filter((file) => /\/admin\/|x-raha-console|\.c-shell/.test(textOf(file)));
if (foreign.length > 0 || !filesOfConsole().some((file) => textOf(file).includes('x-raha-console'))) {
  console.error(`Of the console, in the panel: ${foreign.join(', ') || 'the words to look for are in neither'}`);
  process.exit(1);
}

function row(name, budget, bytes) {
  const kb = Math.round((bytes / 1024) * 10) / 10;
  return { name, kb, budget, ok: bytes <= budget * 1024 };
}

/** The document as it is served, every file of ours that a browser asks for, and every script that those load on the way down. */
function weightOfPage(html) {
  const built = readFileSync(`${dist}${html}`, 'utf8');
  const text = fillPlaceholders(built, usualValues, /pages\/en|-en\./.test(html) ? 'en' : 'fa');
  const files = new Set([...text.matchAll(/<(?:script|link)[^>]* (?:src|href)="\/([^"]+)"/g)].map(([, file]) => file));
  // What is loaded later is started by what is on the page: the prices on the pricing page, all else on the landing page.
  const isPricing = text.includes('data-prices');
  if (isPricing || /pages\/(fa|en)\/index\.html/.test(html))
    for (const file of files) addScriptsOf(file, files, (name) => /^prices-/.test(name) === isPricing);
  // The picture of a home screen is asked for when one is made of the page.
  const asked = [...files].filter((file) => existsSync(`${dist}${file}`) && !file.endsWith('.png'));
  return brotliCompressSync(text).length + sum(asked);
}

/** The document, and all that it names: program, styles, font. */
function weightOfConsole() {
  const html = readFileSync(`${dist}console.html`, 'utf8');
  const [font] = html.match(/fonts\/[\w-]+\.woff2/);
  return brotliCompressSync(html).length + sum([font, ...filesOfConsole().filter((file) => html.includes(file))]);
}

function textOf(file) {
  return readFileSync(`${dist}${file}`, 'utf8');
}

function filesOfConsole() {
  return filesOf(JSON.parse(readFileSync(`${dist}.vite/console.json`, 'utf8')));
}

function filesOf(built) {
  return [...new Set(Object.values(built).flatMap(({ file, css = [] }) => [file, ...css]))];
}

function addScriptsOf(file, files, isLoaded) {
  if (!file.endsWith('.js')) return;
  for (const [, name] of readFileSync(`${dist}${file}`, 'utf8').matchAll(/["'`](?:\.\/|assets\/)?([\w-]+\.js)["'`]/g)) {
    if (existsSync(`${dist}assets/${name}`) && isLoaded(name)) files.add(`assets/${name}`);
  }
}

/** What the service worker keeps of a release, beside the documents. */
function filesOfRelease() {
  const [, release] = readFileSync(`${dist}service-worker.js`, 'utf8').match(/^self\.RELEASE=(.*);$/m);
  return JSON.parse(release).files;
}

function cssOfPage(html) {
  return [...readFileSync(`${dist}${html}`, 'utf8').matchAll(/href="\/(assets\/[^"]+\.css)"/g)].map(([, file]) => file);
}

function scriptsOfPage(html) {
  return [...readFileSync(`${dist}${html}`, 'utf8').matchAll(/<script[^>]* src="\/([^"]+)"/g)].map(([, file]) => file);
}

function keyOf(file) {
  return Object.keys(manifest).find((key) => manifest[key].file === file);
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
