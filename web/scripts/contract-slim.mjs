import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { adminEndpoints } from '@raha/contract/admin/table.ts';
import { factors } from '@raha/contract/public/factors.ts';
import { notifications } from '@raha/contract/public/notifications.ts';
import { profileCalls } from '@raha/contract/public/profile.ts';
import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';

const sources = fileURLToPath(new URL('../src/', import.meta.url));

const ofProfile = new Set([
  ...Object.keys(profileCalls),
  ...Object.keys(factors),
  ...Object.keys(notifications).filter((name) => /Choices$|^turnPush/.test(name)),
]);
const modules = {
  'virtual:first-endpoints': (name) => name === 'me',
  'virtual:endpoints': (name) => !ofProfile.has(name),
  'virtual:profile-endpoints': (name) => ofProfile.has(name),
};
/** The console has a table and a program of its own. */
const OF_CONSOLE = 'virtual:admin-endpoints';

/**
 * What the first load needs of the contract, generated from the contract itself: the endpoint table without its
 * schemas, which come with the forms, and without the calls that no screen makes. This keeps 11 KB out of the entry. The
 * one call of the guards is in the entry; the others come with the screens, those that only the profile makes with it.
 */
export function contractSlim() {
  return {
    name: 'contract-slim',
    enforce: 'pre',
    resolveId: (id) => (id === OF_CONSOLE || Object.hasOwn(modules, id) ? `\0${id}` : undefined),
    load: (id) => {
      if (id === `\0${OF_CONSOLE}`) return sourceOf(Object.entries(adminEndpoints));
      const has = id.startsWith('\0') && modules[id.slice(1)];
      return has ? endpointsSource(has) : undefined;
    },
    // Building a schema changes nothing else, which the bundler cannot know: those that nobody names are left out.
    transform: {
      filter: { id: /\/contract\/src\/.*\.ts$/ },
      handler: (code) => ({ code: code.replace(/(?<![\w.])z\.\w+\(/g, '/* @__PURE__ */ $&'), map: null }),
    },
  };
}

function endpointsSource(has) {
  const words = new Set(
    globSync('**/*.{ts,tsx}', { cwd: sources, exclude: ['**/*.test.ts', 'text/generated/**', 'console/**'] }).flatMap(
      (file) => readFileSync(sources + file, 'utf8').match(/\w+/g) ?? [],
    ),
  );
  return sourceOf(Object.entries(publicEndpoints).filter(([name]) => has(name) && words.has(name)));
}

function sourceOf(endpoints) {
  const calls = endpoints.map(([name, { method, path, produces }]) => [name, { method, path, produces }]);
  return `export const apiBase = ${JSON.stringify(API_BASE)};
export const endpoints = ${JSON.stringify(Object.fromEntries(calls))};`;
}
