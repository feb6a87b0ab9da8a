import { ensureInstalled } from './install.mjs';
import { runInForeground } from './run.mjs';

/** `npm run test:mutation`: changes the rules of money in every way Stryker knows; their tests must notice. */
runInForeground(ensureInstalled(), [
  'node_modules/@stryker-mutator/core/bin/stryker.js',
  'run',
  ...process.argv.slice(2),
]);
