import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  applicationShell,
  applicationShells,
  consoleShell,
  earlyShells,
  familyShell,
  siteShell,
} from '../vite.config.mjs';
import { fillShell, pourPage } from './fill-shell.mjs';
import { inlineEarly, inlineTheme } from './inline-theme.mjs';
import { filesOfScreens } from './screen-files.mjs';
import { writeServiceWorker } from './write-service-worker.mjs';

/**
 * Pours the rendered static pages into their shell and writes down the hash of everything inline. What carries the
 * site's own address goes below `pages/`; the server puts the address in and answers for the paths in `pages.json`.
 */
export async function finishPages(dist, renderer) {
  const { application, siteFiles } = await import(pathToFileURL(renderer).href);
  const scripts = new Set();
  const styles = new Set();
  const write = async (file, text) => {
    if (file.endsWith('.html')) {
      refuseForbidden(file, text);
      for (const hash of hashesOf(text, 'script')) scripts.add(hash);
      for (const hash of hashesOf(text, 'style')) styles.add(hash);
    }
    await mkdir(dirname(join(dist, file)), { recursive: true });
    await writeFile(join(dist, file), text);
  };
  const shellOf = async (file) => inlineTheme(await readFile(join(dist, file), 'utf8'));

  const app = nameBrand(tighten(fillShell(await shellOf(applicationShell), application())), 'fa');
  const manifest = JSON.parse(await readFile(join(dist, '.vite/manifest.json'), 'utf8'));
  for (const [file, screens] of Object.entries(applicationShells)) {
    const shell = earlyShells.includes(file) ? inlineEarly(app) : app;
    await write(file, preload(shell, manifest, screens));
  }
  await write(consoleShell, nameBrand(tighten(fillShell(await shellOf(consoleShell), application())), 'fa'));
  const shells = { site: await shellOf(siteShell), family: await shellOf(familyShell) };
  const paths = {};
  for (const { path, file, shell = 'site', parts, text } of siteFiles()) {
    await write(file, text ?? nameBrand(tighten(pourPage(shells[shell], parts)), parts.lang));
    if (path) paths[path] = file;
  }
  for (const shell of [siteShell, familyShell]) await rm(join(dist, shell));
  for (const [name, lang] of Object.entries(webManifests)) {
    await write(`pages/${name}`, nameBrand(await readFile(join(dist, name), 'utf8'), lang));
    await rm(join(dist, name));
    paths[`/${name}`] = `pages/${name}`;
  }
  await write('pages.json', `${JSON.stringify(paths)}\n`);
  await write('csp.json', `${JSON.stringify({ scripts: [...scripts], styles: [...styles] })}\n`);
  await writeServiceWorker(dist, manifest);
}

/** The application on a home screen has a name in each language. */
const webManifests = { 'manifest.webmanifest': 'fa', 'manifest-en.webmanifest': 'en' };

/**
 * Names in the shell what its screens load after the first file: it comes right behind that one, and the program need not
 * ask for it, which takes a slow phone longer than reading it.
 */
function preload(shell, manifest, screens) {
  const named = filesOfScreens(manifest, screens).filter((file) => !shell.includes(file));
  const links = named.map((file) => `<link rel="modulepreload" fetchpriority="low" crossorigin href="/${file}">`);
  return shell.replace('</head>', `${links.join('\n')}\n</head>`);
}

/** The texts say the brand as it is by default; each place where it stands as a word of its own takes the operator's. */
function nameBrand(html, lang) {
  return lang === 'en'
    ? html.replace(/\bRaha\b/g, '%{brandEnglish}')
    : html.replace(/(?<![\u0600-\u06ff\u200c])رها(?![\u0600-\u06ff\u200c])/g, '%{brand}');
}

/** Line beginnings; class names of icons, which no style sheet mentions; the name space of pictures, which HTML knows. */
function tighten(html) {
  return html
    .replace(/\n\s+/g, '\n')
    .replace(/class="lucide lucide-[\w-]+ /g, 'class="')
    .replaceAll('<svg xmlns="http://www.w3.org/2000/svg" ', '<svg ');
}

/** The policy of the server would silently drop these; the build must not produce them. */
function refuseForbidden(file, html) {
  const found = html.match(/<[^>]+\s(style|on[a-z]+)=/);
  if (found) throw new Error(`${file} has an attribute that the content policy forbids: ${found[0]}`);
}

/** Data blocks (`application/ld+json`) never run, so the policy does not ask about them. */
function hashesOf(html, tag) {
  const inline = new RegExp(`<${tag}(?![^>]*(?:\\ssrc=|ld\\+json))[^>]*>([\\s\\S]*?)</${tag}>`, 'g');
  return [...html.matchAll(inline)].map(([, text]) => `sha256-${createHash('sha256').update(text).digest('base64')}`);
}
