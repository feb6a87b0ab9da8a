import { messageOptions } from './compile-messages.mjs';

/**
 * In the browser, the messages' runtime without the ways of finding a language that we do not use (addresses, sessions,
 * custom ones): the cookie decides, once per page load. This keeps 1 KB out of every first load.
 */
export function slimRuntime() {
  return {
    name: 'slim-runtime',
    enforce: 'pre',
    applyToEnvironment: ({ name }) => name === 'client',
    load: (id) => (id.endsWith('/text/generated/runtime.js') ? source : undefined),
  };
}

const source = `
export const experimentalStaticLocale = undefined;
export let getLocale = () => (/(?:^|;\\s*)${messageOptions.cookieName}=en(?:;|$)/.test(document.cookie) ? 'en' : 'fa');
export const overwriteGetLocale = (fn) => {
  getLocale = fn;
};
`;
