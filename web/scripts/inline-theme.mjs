import { readFileSync } from 'node:fs';

const source = readFileSync(new URL('theme.inline.js', import.meta.url), 'utf8');
const compact = source
  .replace(/^\/\/.*\n/gm, '')
  .replace(/\n\s*/g, ' ')
  .trim();

export function inlineTheme(html) {
  return html.replace('<!--theme-->', () => `<script>${compact}</script>`);
}
