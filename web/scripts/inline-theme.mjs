import { readFileSync } from 'node:fs';

const theme = scriptOf('theme.inline.js');
const early = scriptOf('early.inline.js');

export function inlineTheme(html) {
  return html.replace('<!--theme-->', () => theme);
}

/** The panel's first calls, before anything that the browser has to fetch. */
export function inlineEarly(html) {
  return html.replace(theme, () => `${theme}\n${early}`);
}

function scriptOf(file) {
  const compact = readFileSync(new URL(file, import.meta.url), 'utf8')
    .replace(/^\/\/.*\n/gm, '')
    .replace(/\n\s*/g, ' ')
    .trim();
  return `<script>${compact}</script>`;
}
