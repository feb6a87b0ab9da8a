import { ensureInstalled } from './install.mjs';
import { runInForeground } from './run.mjs';

/** `npm run raha -- <noun> <verb>`: the operator's command line. */
runInForeground(ensureInstalled(), ['server/src/cli.ts', ...process.argv.slice(2)]);
