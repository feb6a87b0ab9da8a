import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';

/**
 * What the first load needs of the contract, generated from the contract itself: the endpoint table without its
 * schemas, which come with the forms. This keeps 10 KB out of the entry.
 */
export function contractSlim() {
  const name = 'virtual:endpoints';
  return {
    name: 'contract-slim',
    enforce: 'pre',
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load: (id) => (id === `\0${name}` ? endpointsSource() : undefined),
  };
}

function endpointsSource() {
  const calls = Object.entries(publicEndpoints).map(([name, { method, path, produces }]) => [
    name,
    { method, path, produces },
  ]);
  return `export const apiBase = ${JSON.stringify(API_BASE)};
export const endpoints = ${JSON.stringify(Object.fromEntries(calls))};`;
}
