import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { htmlEntries } from '../vite.config.mjs';
import { fillShell } from './fill-shell.mjs';
import { inlineTheme } from './inline-theme.mjs';

/** Puts the rendered static pages into their shells and writes down the hash of everything inline. */
export async function finishPages(dist, renderer) {
  const { pages } = await import(pathToFileURL(renderer).href);
  const scripts = new Set();
  const styles = new Set();
  for (const entry of htmlEntries) {
    const file = join(dist, entry);
    const shell = inlineTheme(await readFile(file, 'utf8'));
    const html = tighten(fillShell(shell, pages[entry]()));
    refuseForbidden(entry, html);
    for (const hash of hashesOf(html, 'script')) scripts.add(hash);
    for (const hash of hashesOf(html, 'style')) styles.add(hash);
    await writeFile(file, html);
  }
  await writeFile(join(dist, 'csp.json'), `${JSON.stringify({ scripts: [...scripts], styles: [...styles] })}\n`);
}

function tighten(html) {
  return html.replace(/\n\s+/g, '\n');
}

/** The policy of the server would silently drop these; the build must not produce them. */
function refuseForbidden(entry, html) {
  const found = html.match(/<[^>]+\s(style|on[a-z]+)=/);
  if (found) throw new Error(`${entry} has an attribute that the content policy forbids: ${found[0]}`);
}

function hashesOf(html, tag) {
  const inline = new RegExp(`<${tag}(?![^>]*\\ssrc=)[^>]*>([\\s\\S]*?)</${tag}>`, 'g');
  return [...html.matchAll(inline)].map(([, text]) => `sha256-${createHash('sha256').update(text).digest('base64')}`);
}
