import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { version } from './version.ts';

test.each(['', 'contract/', 'server/', 'node-agent/', 'web/'])('the version is the one of %spackage.json', (folder) => {
  const file = new URL(`../../${folder}package.json`, import.meta.url);
  expect(JSON.parse(readFileSync(file, 'utf8')).version).toBe(version);
});
