import { errors } from '@raha/contract/errors.ts';
import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';

/**
 * What the first load needs of the contract, generated from the contract itself: the endpoint table without its
 * schemas (they come with the forms), and for the client the known error codes without their sentences, which arrive
 * from the server. Together this keeps 12 KB out of the entry.
 */
export function contractSlim() {
  const modules = { 'virtual:endpoints': endpointsSource(), 'virtual:error-codes': errorCodesSource() };
  return {
    name: 'contract-slim',
    enforce: 'pre',
    resolveId(id, importer) {
      if (id === './errors.ts' && importer?.endsWith('/contract/src/client.ts')) return '\0virtual:error-codes';
      return id in modules ? `\0${id}` : undefined;
    },
    load: (id) => modules[id.slice(1)],
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

function errorCodesSource() {
  return `const codes = new Set(${JSON.stringify(Object.keys(errors).join(' '))}.split(' '));
export const isErrorCode = (code) => codes.has(code);`;
}
