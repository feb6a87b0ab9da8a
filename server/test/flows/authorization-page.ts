import { readFileSync, writeFileSync } from 'node:fs';

/** docs/authorization.md: the calls of the product, and under a head of their own those of the console. */
const file = new URL('../../../docs/authorization.md', import.meta.url);
const HEAD = '## The console\n';

/** With `WRITE_TABLE=1` replaces one of the two parts; returns what it holds. */
export function partOfPage(part: 'product' | 'console', text: string): string {
  if (process.env.WRITE_TABLE) {
    const parts = { ...readParts(), [part]: text };
    writeFileSync(file, `${parts.product}\n${HEAD}${parts.console}`);
  }
  return readParts()[part];
}

function readParts(): { product: string; console: string } {
  const [product = '', console = ''] = readFileSync(file, 'utf8').split(`\n${HEAD}`);
  return { product, console };
}
