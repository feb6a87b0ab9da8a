import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { childEnvironment, ensureInstalled, fail } from './install.mjs';

/**
 * `npm run contact-sheet`: runs the journeys in the browser and puts the pictures that they take of every screen on one page,
 * a row for each screen: light and dark, wide and narrow. With `--last` the pictures of the run before are used.
 */
const directory = '.build/screenshots';
const sheet = join(directory, 'index.html');
const columns = ['light-wide', 'dark-wide', 'light-narrow', 'dark-narrow'];

if (!process.argv.includes('--last')) takePictures();
if (!existsSync(directory)) fail(`There are no pictures in ${directory}: run it without --last.`);
const files = readdirSync(directory)
  .filter((file) => file.endsWith('.png'))
  .sort();
const rows = rowsOf(files);
writeFileSync(sheet, page(rows));
console.log(`${sheet}: ${files.length} pictures of ${rows.size} screens`);

/** A journey that fails has left the pictures up to there: the sheet is written all the same, and says nothing else. */
function takePictures() {
  const node = ensureInstalled();
  mkdirSync(directory, { recursive: true });
  const steps = ['scripts/test.mjs', 'web build', 'agent build', 'browser'];
  const { status } = spawnSync(node, steps, {
    stdio: 'inherit',
    env: childEnvironment({ TEST_LONG: 'yes', EVERY_LOOK: 'yes' }),
  });
  if (status !== 0) {
    console.error('A journey failed; the sheet has the pictures that were taken.');
    process.exitCode = 1;
  }
}

/** The name of a screen, and its file for each column. What has no theme and width in its name stands alone in its row. */
function rowsOf(names) {
  const found = new Map();
  for (const file of names) {
    const [, screen = file.slice(0, -4), column = columns[0]] =
      /^(.+)-((?:light|dark)-(?:wide|narrow))\.png$/.exec(file) ?? [];
    found.set(screen, { ...found.get(screen), [column]: file });
  }
  return found;
}

function page(screens) {
  const body = [...screens].map(([screen, pictures]) => {
    const cells = columns.map((column) => `<td>${pictures[column] ? picture(pictures[column]) : ''}</td>`);
    return `<tr><th>${screen}</th>${cells.join('')}</tr>`;
  });
  const heads = columns.map((column) => `<th>${column.replace('-', ', ')}</th>`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Every screen</title>
<style>body{font:14px system-ui;margin:16px}th{text-align:start;vertical-align:top;padding:8px}td{vertical-align:top;padding:4px}
img{max-height:420px;max-width:420px;border:1px solid #ccc}thead th{position:sticky;top:0;background:#fff}</style>
<table><thead><tr><th>Screen</th>${heads.join('')}</tr></thead><tbody>
${body.join('\n')}
</tbody></table></html>
`;
}

function picture(file) {
  return `<a href="${file}"><img src="${file}" alt="${file}" loading="lazy"></a>`;
}
